/**
 * `swaptide rebuild ledger`: folds every position afresh from the stored swaps and replaces the ledger's
 * tables. Takes the ledger's lanes from the workers meanwhile; the feed waits and is read on afterwards.
 */
import { connect } from '../../sql/db.ts'
import { rebuildLedger } from '../../workers/rebuild.ts'
import { parseArguments, UsageError, usage } from '../arguments.ts'
import { type CommandContext, EXIT_OK } from '../command.ts'
import { findInstallation } from '../installation.ts'
import { createProgress } from '../progress.ts'
import { counted, duration } from '../wording.ts'

export const described = usage({
  line: 'rebuild ledger',
  summary: 'Folds every position afresh from the stored swaps.',
  options: {},
  notes: [
    'May be run beside live workers and again after it was interrupted: nothing is left wrong.',
  ],
})

/** Connections: two that read, one that writes, one that keeps the lanes. */
const CONNECTIONS = 4

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { positionals } = parseArguments(described, argv)
  if (positionals.length !== 1 || positionals[0] !== 'ledger') {
    throw new UsageError(`nothing else is rebuilt: the command is swaptide ${described.line}`)
  }
  const { databaseUrl, laneCount } = await findInstallation(context.config)
  const { stderr, isTerminal } = context
  const now = () => performance.now()
  const progress = createProgress({ write: (text) => stderr.write(text), isTerminal, now })
  const db = connect(databaseUrl, { max: CONNECTIONS, applicationName: 'swaptide rebuild' })
  const startedAt = now()
  try {
    const { swaps, positions } = await rebuildLedger(db, {
      laneCount,
      log: context.log('warn'),
      onProgress: (done, folded) =>
        progress.update(() => `${counted(done, 'swap')}, ${counted(folded, 'position')}`),
    })
    progress.end()
    const took = duration(now() - startedAt)
    context.stdout.write(
      `${counted(positions, 'position')} of ${counted(swaps, 'swap')} in ${took}\n`,
    )
    return EXIT_OK
  } finally {
    progress.end()
    await db.end()
  }
}
