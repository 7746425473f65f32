/**
 * What operators see and do through the API, made of what workers, streams and jobs offer: the API itself
 * knows none of them.
 */
import { Readable } from 'node:stream'
import type { Operations } from '../api/admin/operations.ts'
import { ApiError } from '../api/error.ts'
import { storeKols } from '../api/leaderboard/kols.ts'
import { connect } from '../sql/db.ts'
import type { JobQueue } from '../streams/bullmq.ts'
import { explainRefusal, type Refusal } from '../streams/contract.ts'
import type { JetStream } from '../streams/jetstream.ts'
import type { Log } from '../streams/log.ts'
import type { Topology } from '../streams/topology.ts'
import { countDeadLetters, listDeadLetters, retryDeadLetters } from '../workers/dead.ts'
import { readKols } from './kol-file.ts'
import { listLanes } from './lanes.ts'
import { STANDARD_INPUT } from './operator-file.ts'
import { replayOperations } from './replay-operations.ts'
import { readSectors } from './sector-file.ts'
import { createSectorStore } from './sector-store.ts'

export type OperationSources = {
  databaseUrl: string
  jetStream: JetStream
  topology: Topology
  jobs: JobQueue
  log: Log
}

const CONNECTIONS_MAX = 2
/** Milliseconds that an operator, or a scrape, waits for a statement. */
const STATEMENT_BOUND_MS = 5_000
/** Of sectors that are read and not yet stored. */
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
    queues: () => jobs.depths(),
    deadLetters: (page) => listDeadLetters(db, page),
    countDeadLetters: () => countDeadLetters(db),
    async retryDeadLetters(ids, by) {
      expectJetStream()
      return await retryDeadLetters(db, { jetStream, topology }, ids, by)
    },
    async importKols(text, by) {
      const refusals: string[] = []
      const { kols } = await readKols(STANDARD_INPUT, tellerTo(refusals), contextOf(text))
      const { added, changed, unchanged } = await storeKols(db, kols, false, by)
      return { added, changed, unchanged, refusals }
    },
    async storeSectors(sectors, by) {
      expectJetStream()
      return await storeSectors(sectors, by)
    },
    async importSectors(text, by) {
      expectJetStream()
      const refusals: string[] = []
      const { tokens } = await readSectors(
        STANDARD_INPUT,
        UNKNOWN_SLOT,
        tellerTo(refusals),
        contextOf(text),
      )
      const sectors = tokens.map(({ tokenAddress: mint, sector = '' }) => ({ mint, sector }))
      const { isCounted } = await storeSectors(sectors, by)
      return { stored: sectors.length, isCounted, refusals }
    },
    replays: {
      ...replays,
      async start(asked, by) {
        expectJetStream()
        return await replays.start(asked, by)
      },
    },
    boardQueues: () => jobs.queues(),
    close: () => db.end(),
  }
}

function tellerTo(refusals: string[]): (line: number, refusal: Refusal) => void {
  return (line, refusal) => refusals.push(`${line} ${explainRefusal(refusal)}`)
}

/** Of a file that came as a text. */
function contextOf(text: string): { stdin: Readable; signal: AbortSignal } {
  const signal = AbortSignal.timeout(STATEMENT_BOUND_MS)
  return { stdin: Readable.from([Buffer.from(text)]), signal }
}
