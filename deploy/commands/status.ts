/**
 * `swaptide status [--wait]`: the lag and owner of each lane, the streams and the hours that they hold, the sources of chain data, the queues of jobs, the counts of refused
 * events and of swaps. `--wait` returns when all messages that SWAP held at its start are in every table, those of their commits in
 * FEED included, or with 1 after --timeout; a server that does not answer meanwhile is waited for.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { LaneState } from '../../api/admin/operations.ts'
import { type DecoderWarning, listWarnings } from '../../sql/chain/decoder-warnings.ts'
import { listSources, type SourceState } from '../../sql/chain/sources.ts'
import { query } from '../../sql/query.ts'
import type { QueueDepth } from '../../streams/jobs/job.ts'
import { expectNone, integerOption, parseArguments, usage } from '../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../cli/command.ts'
import { counted, duration, grouped, jsonLine, table } from '../cli/format.ts'
import { CatchUp } from '../operations/catch-up.ts'
import { listLanes } from '../operations/lanes.ts'
import { describeQueues, listQueues } from '../operations/queues.ts'
import { describeSources, describeWarnings } from '../operations/sources.ts'
import { describeStreams, listStreams, type StreamSize } from '../operations/streams/sizes.ts'
import { type Connections, withServers } from '../processes/connections.ts'
import { findInstallation } from '../processes/installation.ts'
import { openWhenReachable } from '../processes/wait-for-servers.ts'

export const described = usage({
  line: 'status [--wait [--timeout SECONDS]] [--json]',
  options: {
    wait: {
      type: 'boolean',
      about:
        'wait until every event received so far is in every table, and for servers that do not answer; exit code 1 after the timeout',
    },
    timeout: { type: 'string', value: 'SECONDS', about: 'bound of --wait', default: '60' },
    json: { type: 'boolean', about: 'print one JSON object' },
  },
  notes: [
    'Sources of chain data that run are listed with their lag, rates and newest error, and signs that the program of a venue has changed.',
    'Streams are listed with their bytes, SWAP_BYTES and FEED_BYTES, and the hours that these hold at the rate of the last hour. Also ' +
      'counts swaps, dead letters, conflicts and messages that the streams lost.',
  ],
  examples: ['swaptide status', 'swaptide status --wait --timeout 300'],
})

/** `recomputes`: positions that wait to be recomputed; `audits`: lanes whose positions are being counted. */
type Totals = {
  swaps: number
  dead_letters: number
  conflicts: number
  recomputes: number
  audits: number
  /** Found in the last seven days. */
  lost_messages: number
}
/** `queues` is null while Redis cannot be reached. */
type Status = Totals & {
  lanes: readonly LaneState[]
  streams: readonly StreamSize[]
  sources: readonly SourceState[]
  decoder_warnings: readonly DecoderWarning[]
  queues: QueueDepth[] | null
}

const countRows = query<Totals>('status/count_rows')
const NOTHING: Totals = {
  swaps: 0,
  dead_letters: 0,
  conflicts: 0,
  recomputes: 0,
  audits: 0,
  lost_messages: 0,
}
const POLL_MS = 100
const TIMEOUT_MAX_S = 86_400

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const timeout = integerOption('timeout', values.timeout, { min: 0, max: TIMEOUT_MAX_S }) ?? 0
  const endsAt = performance.now() + timeout * 1_000
  const installation = await findInstallation(context.config)
  const log = context.log('warn')
  const options = { name: 'swaptide status', connectionsMax: 2, log }
  // A cluster that elects a leader, or a database that is replaced, may well be there before the bound.
  const waiting = {
    ...{ log, signal: context.signal, servers: installation },
    ...{ exitIfUnavailable: !values.wait, boundMs: timeout * 1_000 },
  }
  const status = await openWhenReachable(waiting, () =>
    withServers(installation, options, async (connections) => {
      const { db, jetStream, topology } = connections
      const { lanes, remaining } = values.wait
        ? await waitFor(new CatchUp(db, jetStream, topology), endsAt, context)
        : { lanes: await listLanes(db, jetStream, topology), remaining: undefined }
      return {
        lanes,
        ...(await readStatus(connections)),
        queues: await listQueues(installation, log),
        remaining,
      }
    }),
  )
  if (status === undefined) return EXIT_FAILED
  const { remaining, ...shown } = status
  context.stdout.write(values.json ? jsonLine(shown) : describe(shown))
  if (remaining === undefined) return EXIT_OK
  context.stderr.write(`swaptide: not caught up after ${timeout} s: ${remaining.text}\n`)
  return EXIT_FAILED
}

async function readStatus({
  db,
  jetStream,
  topology,
}: Connections): Promise<Omit<Status, 'lanes' | 'queues'>> {
  const [totals = NOTHING] = await countRows(db)
  const streams = await listStreams(jetStream, topology, Date.now())
  const sources = await listSources(db)
  return { ...totals, sources, decoder_warnings: await listWarnings(db), streams }
}

/** Waits until the present messages of SWAP are in every table, or until `endsAt`. */
async function waitFor(
  catchUp: CatchUp,
  endsAt: number,
  { progress }: Pick<CommandContext, 'progress'>,
): Promise<Awaited<ReturnType<CatchUp['look']>>> {
  for (;;) {
    const { lanes, remaining } = await catchUp.look()
    if (remaining === undefined || performance.now() >= endsAt) return { lanes, remaining }
    progress.update(() => remaining.text)
    await pause(POLL_MS)
  }
}

function describe({
  lanes,
  streams,
  sources,
  queues,
  decoder_warnings: warnings,
  ...totals
}: Status): string {
  const rows = lanes.map(({ actor, lane, owner, lag, age_ms }) => [
    actor,
    String(lane),
    owner ?? 'none',
    grouped(lag),
    age_ms === null ? 'never' : `${duration(age_ms)} ago`,
  ])
  const listed = table(['actor', 'lane', 'owner', 'lag', 'committed'], rows)
  const { swaps, dead_letters, conflicts, recomputes, audits, lost_messages: lost } = totals
  const rest = [
    conflicts > 0 ? counted(conflicts, 'conflict') : '',
    recomputes > 0 ? `${counted(recomputes, 'position')} waiting to be recomputed` : '',
    audits > 0 ? `${counted(audits, 'lane')} of the ledger being counted against the swaps` : '',
    lost > 0
      ? `${counted(lost, 'message')} lost by the streams within seven days: see the log`
      : '',
  ].filter(Boolean)
  const depths = describeQueues(queues, Date.now())
  const counts = [counted(swaps, 'swap'), counted(dead_letters, 'dead letter'), ...rest]
  const warned = describeWarnings(warnings)
  const followed = describeSources(sources, Date.now()) + (warned && `${warned}\n`)
  return `${listed}\n${describeStreams(streams)}\n${followed}${depths}\n${counts.join(', ')}\n`
}
