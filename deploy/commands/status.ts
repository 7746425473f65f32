/**
 * `swaptide status [--wait]`: how far each lane is behind, who owns it, the queues of jobs, what was
 * refused and how many swaps there are. `--wait` returns when all that the streams held when it was asked is committed, or
 * with 1 after --timeout: where swaps keep coming, a lag of 0 may never be seen.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { LaneState } from '../../api/admin/operations.ts'
import { connect } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { connectJetStream } from '../../streams/jetstream.ts'
import type { QueueDepth } from '../../streams/job.ts'
import { ensureTopology } from '../../streams/topology.ts'
import { expectNone, integerOption, parseArguments, usage } from '../arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../command.ts'
import { findInstallation } from '../installation.ts'
import { listLanes } from '../lanes.ts'
import { createProgress } from '../progress.ts'
import { describeQueues, listQueues } from '../queues.ts'
import { counted, duration, grouped, jsonLine, table } from '../wording.ts'

export const described = usage({
  line: 'status [--wait] [--json]',
  summary:
    'Prints how far each lane is behind, queues of jobs, numbers of swaps, dead letters and conflicts.',
  options: {
    wait: {
      type: 'boolean',
      about: 'return when no lane is behind, exit code 1 when that takes too long',
    },
    timeout: { type: 'string', value: 'SECONDS', about: 'how long --wait waits', default: '60' },
    json: { type: 'boolean', about: 'one JSON object on standard output' },
  },
})

/** `refolds`: positions that wait to be folded again; `audits`: lanes whose positions are being counted. */
type Totals = {
  swaps: number
  dead_letters: number
  conflicts: number
  refolds: number
  audits: number
}
/** `queues` is null while Redis cannot be reached. */
type Status = Totals & { lanes: readonly LaneState[]; queues: QueueDepth[] | null }

const countRows = query<Totals>('status/count_rows')
const NOTHING: Totals = { swaps: 0, dead_letters: 0, conflicts: 0, refolds: 0, audits: 0 }
const POLL_MS = 100
const TIMEOUT_MAX_S = 86_400

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const timeout = integerOption('timeout', values.timeout, { min: 0, max: TIMEOUT_MAX_S }) ?? 0
  const installation = await findInstallation(context.config)
  const db = connect(installation.databaseUrl, { max: 2, applicationName: 'swaptide status' })
  try {
    const log = context.log('warn')
    const jetStream = await connectJetStream(installation.natsUrl, { name: 'swaptide status', log })
    try {
      const topology = await ensureTopology(jetStream, installation)
      const lanesNow = () => listLanes(db, jetStream, topology)
      const asked = await lanesNow()
      const boundMs = values.wait ? timeout * 1000 : 0
      const lanes = await waitForLanes(asked, lanesNow, boundMs, context)
      const [totals = NOTHING] = await countRows(db)
      const queues = await listQueues(installation, log)
      const status = { lanes, queues, ...totals }
      context.stdout.write(values.json ? jsonLine(status) : describe(status))
      const left = behind(asked, lanes)
      if (!values.wait || left === 0) return EXIT_OK
      context.stderr.write(`swaptide: still ${counted(left, 'message')} behind\n`)
      return EXIT_FAILED
    } finally {
      await jetStream.close()
    }
  } finally {
    await db.end()
  }
}

/** Messages between what is committed now and what the streams held when it was asked. */
function behind(asked: readonly LaneState[], lanes: readonly LaneState[]): number {
  return lanes.reduce(
    (sum, { sequence }, index) => sum + Math.max(0, (asked[index]?.head ?? 0) - sequence),
    0,
  )
}

/** The lanes as soon as they are as far as asked, or as they are when the bound has passed. */
async function waitForLanes(
  asked: readonly LaneState[],
  lanesNow: () => Promise<LaneState[]>,
  boundMs: number,
  { stderr, isTerminal }: CommandContext,
): Promise<readonly LaneState[]> {
  const now = () => performance.now()
  const progress = createProgress({ write: (text) => stderr.write(text), isTerminal, now })
  const endsAt = now() + boundMs
  for (let lanes = asked; ; lanes = await lanesNow()) {
    const left = behind(asked, lanes)
    if (left === 0 || now() >= endsAt) {
      progress.end()
      return lanes
    }
    progress.update(() => `${counted(left, 'message')} behind`)
    await pause(POLL_MS)
  }
}

function describe({ lanes, queues, ...totals }: Status): string {
  const rows = lanes.map(({ actor, lane, owner, lag, age_ms }) => [
    actor,
    String(lane),
    owner ?? 'nobody',
    grouped(lag),
    age_ms === null ? 'never' : `${duration(age_ms)} ago`,
  ])
  const listed = table(['actor', 'lane', 'owner', 'lag', 'committed'], rows)
  const { swaps, dead_letters, conflicts, refolds, audits } = totals
  const rest = [
    conflicts > 0 ? counted(conflicts, 'conflict') : '',
    refolds > 0 ? `${counted(refolds, 'position')} waiting to be folded again` : '',
    audits > 0 ? `${counted(audits, 'lane')} of the ledger being counted against the swaps` : '',
  ].filter(Boolean)
  const depths = describeQueues(queues, Date.now())
  const counts = [counted(swaps, 'swap'), counted(dead_letters, 'dead letter'), ...rest]
  return `${listed}\n${depths}\n${counts.join(', ')}\n`
}
