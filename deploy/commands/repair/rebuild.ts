/**
 * `swaptide rebuild ledger`: folds every position afresh from the stored swaps and replaces the ledger's
 * tables. Takes over the ledger's lanes from the workers meanwhile; FEED is consumed again afterwards. `swaptide
 * rebuild ranking`: the same for the traders of tokens by time, token by token. `swaptide rebuild candles`: the same
 * for candles and last prices, pool by pool; no other work waits. `swaptide rebuild sandwiches`: the same for sandwiches and what
 * they took.
 */

import type { Log } from '../../../domain/log.ts'
import { connect, type Db } from '../../../sql/db.ts'
import { rebuildCandles } from '../../../workers/rebuild/candles.ts'
import { rejectionBy } from '../../../workers/rebuild/lane-takeover.ts'
import { rebuildLedger } from '../../../workers/rebuild/ledger.ts'
import { rebuildRanking } from '../../../workers/rebuild/ranking.ts'
import { rebuildSandwiches } from '../../../workers/rebuild/sandwiches.ts'
import { choiceWord, expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { counted, duration } from '../../cli/format.ts'
import type { Progress } from '../../cli/progress.ts'
import { withStreams } from '../../processes/connections.ts'
import { findInstallation, type Installation } from '../../processes/installation.ts'

export const described = usage({
  line: 'rebuild (ledger | ranking | candles | sandwiches)',
  options: {},
  notes: [
    'ledger: positions. ranking: traders of each token. candles: candles and last prices. sandwiches: brackets and ' +
      'losses. All are recomputed from the stored swaps.',
    'Runs alongside live workers and is idempotent, also after an interruption.',
  ],
  examples: ['swaptide rebuild ledger', 'swaptide rebuild candles'],
})

/** Connections: two that read, one that writes, one that renews the lanes' leases. */
const CONNECTIONS = 4

/** Rebuilds, and reports the counts: `12 positions of 400 swaps`. */
type Rebuild = (
  db: Db,
  context: { installation: Installation; progress: Progress; command: CommandContext },
) => Promise<string>

type Rebuilt = 'ledger' | 'ranking' | 'candles' | 'sandwiches'

const REBUILDS: Readonly<Record<Rebuilt, Rebuild>> = {
  async ledger(db, { installation, progress, command }) {
    const log = command.log('warn')
    const { swaps, positions } = await rebuildLedger(db, {
      laneCount: await laneCountOf(installation, log),
      log,
      signal: command.signal,
      onProgress: (done, folded) =>
        progress.update(() => `${counted(done, 'swap')}, ${counted(folded, 'position')}`),
    })
    return `${counted(positions, 'position')} of ${counted(swaps, 'swap')}`
  },
  async ranking(db, { progress, command }) {
    const { swaps, tokens } = await rebuildRanking(db, {
      log: command.log('warn'),
      signal: command.signal,
      onProgress: (done) => progress.update(() => counted(done, 'swap')),
    })
    return `traders of ${counted(tokens, 'token')} of ${counted(swaps, 'swap')}`
  },
  async candles(db, { progress, command }) {
    const rebuilding = rebuildCandles(db, {
      onProgress: (done, folded) =>
        progress.update(() => `${counted(done, 'swap')}, ${counted(folded, 'pool')}`),
    })
    const { swaps, pools } = await Promise.race([rebuilding, rejectionBy(command.signal)])
    return `candles of ${counted(pools, 'pool')} of ${counted(swaps, 'swap')}`
  },
  async sandwiches(db, { progress, command }) {
    const rebuilding = rebuildSandwiches(db, {
      onProgress: (done, searched) =>
        progress.update(() => `${counted(done, 'swap')}, ${counted(searched, 'pool')}`),
    })
    const { swaps, pools } = await Promise.race([rebuilding, rejectionBy(command.signal)])
    return `sandwiches of ${counted(pools, 'pool')} of ${counted(swaps, 'swap')}`
  },
}

export const ending = 'releases'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { positionals } = parseArguments(described, argv)
  const [word, ...extra] = positionals
  const rebuild = REBUILDS[choiceWord('rebuild', word, Object.keys(REBUILDS) as Rebuilt[])]
  expectNone(described.line, extra)
  const installation = await findInstallation(context.config)
  const { progress } = context
  const db = connect(installation.databaseUrl, {
    max: CONNECTIONS,
    applicationName: 'swaptide rebuild',
  })
  const startedAt = performance.now()
  try {
    const rebuilt = await rebuild(db, { installation, progress, command: context })
    context.stdout.write(`${rebuilt} in ${duration(performance.now() - startedAt)}\n`)
    return EXIT_OK
  } finally {
    // After an abort a statement may still be running, and end() would wait for it.
    if (!context.signal.aborted) await db.end()
  }
}

/** The lane count of an installation; read from its streams where no setting names it. */
async function laneCountOf(installation: Installation, log: Log): Promise<number> {
  const { laneCount } = installation
  if (laneCount !== undefined) return laneCount
  const options = { name: 'swaptide rebuild', log }
  return await withStreams(installation, options, async ({ topology }) => topology.laneCount)
}
