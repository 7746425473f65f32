/**
 * Operations that the API offers to operators, composed of workers, streams and jobs: the API itself imports
 * none of them.
 */
import { Readable } from 'node:stream'
import type { Operations } from '../../api/admin/operations.ts'
import { storeKols } from '../../api/resources/leaderboard/kols.ts'
import { ApiError } from '../../api/routing/error.ts'
import type { Log } from '../../domain/log.ts'
import { readHistoryState } from '../../history/operating/state.ts'
import { listWarnings } from '../../sql/chain/decoder-warnings.ts'
import { listSources } from '../../sql/chain/sources.ts'
import { connect } from '../../sql/db.ts'
import { ForeignInput } from '../../streams/ingest/reading/ndjson.ts'
import { explainRefusal, type Refusal } from '../../streams/ingest/refusal.ts'
import type { JobQueue } from '../../streams/jobs/bullmq.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { Topology } from '../../streams/nats/topology.ts'
import { STANDARD_INPUT } from '../../streams/sources/standard-input.ts'
import { countDeadLetters, listDeadLetters, retryDeadLetters } from '../../workers/dead-letters.ts'
import { readKols } from './kol-file.ts'
import { listLanes } from './lanes.ts'
import type { Reporting } from './operator-file.ts'
import { replayOperations } from './replays.ts'
import { readSectors } from './sector-file.ts'
import { createSectorStore } from './sectors.ts'

type OperationSources = {
  databaseUrl: string
  jetStream: JetStream
  topology: Topology
  jobs: JobQueue
  log: Log
}

const CONNECTIONS_MAX = 2
/** Milliseconds that an operator, or a scrape, waits for a statement. */
const STATEMENT_BOUND_MS = 5_000
/** Slot of sectors that are read and not yet stored. */
const UNKNOWN_SLOT = 0

export function openOperations(sources: OperationSources): Operations & { close(): Promise<void> } {
  const { databaseUrl, jetStream, topology, jobs, log } = sources
  const db = connect(databaseUrl, {
    max: CONNECTIONS_MAX,
    applicationName: 'swaptide operator',
    statementTimeoutMs: STATEMENT_BOUND_MS,
  })
  const expectJetStream = (): void => {
    if (!jetStream.isReachable()) throw new ApiError('UNAVAILABLE', 'NATS does not answer')
  }
  const storeSectors = createSectorStore(db, { jetStream, topology, log })
  const replays = replayOperations({ db, jetStream, topology, jobs })
  return {
    async lanes() {
      expectJetStream()
      return await listLanes(db, jetStream, topology)
    },
    sources: () => listSources(db),
    warnings: () => listWarnings(db),
    history: () => readHistoryState(db),
    queues: () => jobs.depths(),
    deadLetters: (page) => listDeadLetters(db, page),
    countDeadLetters: () => countDeadLetters(db),
    async retryDeadLetters(ids, by) {
      expectJetStream()
      return await retryDeadLetters(db, { jetStream, topology }, ids, by)
    },
    async importKols(file, by) {
      const report = reportOf()
      const { kols } = await readFile(() => readKols(STANDARD_INPUT, report, contextOf(file)))
      const { added, changed, unchanged } = await storeKols(db, kols, 'merge', by)
      return { added, changed, unchanged, refusals: report.refusals, warnings: report.warnings }
    },
    async storeSectors(sectors, by) {
      expectJetStream()
      return await storeSectors(sectors, by)
    },
    async importSectors(file, by) {
      expectJetStream()
      const report = reportOf()
      const { tokens } = await readFile(() =>
        readSectors(STANDARD_INPUT, UNKNOWN_SLOT, report, contextOf(file)),
      )
      const sectors = tokens.map(({ tokenAddress: mint, sector = '' }) => ({ mint, sector }))
      const { isCounted } = await storeSectors(sectors, by)
      return { stored: sectors.length, isCounted, refusals: report.refusals }
    },
    replays: {
      ...replays,
      async start(request, by) {
        expectJetStream()
        return await replays.start(request, by)
      },
    },
    boardQueues: () => jobs.queues(),
    close: () => db.end(),
  }
}

/** Refusals and warnings as texts, each with its line. */
function reportOf(): Reporting & { refusals: string[]; warnings: string[] } {
  const refusals: string[] = []
  const warnings: string[] = []
  const reporterTo = (reported: string[]) => (line: number, refusal: Refusal) => {
    reported.push(`${line} ${explainRefusal(refusal)}`)
  }
  return { refusals, warnings, onRefusal: reporterTo(refusals), onWarning: reporterTo(warnings) }
}

/** A file that cannot be read as lines is the sender's mistake. */
async function readFile<Rows>(read: () => Promise<Rows>): Promise<Rows> {
  try {
    return await read()
  } catch (cause) {
    if (!(cause instanceof ForeignInput)) throw cause
    throw new ApiError('INVALID_PARAM', cause.message, { cause })
  }
}

/** Input of a file that arrived in a request. */
function contextOf(file: Uint8Array): { stdin: Readable; signal: AbortSignal } {
  const signal = AbortSignal.timeout(STATEMENT_BOUND_MS)
  return { stdin: Readable.from([file]), signal }
}
