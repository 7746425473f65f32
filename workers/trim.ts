/**
 * Keeps room in SWAP: the stream refuses when it is full, so what every lane has committed is let go
 * once the stream is half full. What was not read is never touched.
 */
import type { Db } from '../sql/db.ts'
import { query } from '../sql/query.ts'
import type { JetStream } from '../streams/jetstream.ts'
import type { Log } from '../streams/log.ts'
import { ensureTopology, streamState, type Topology, trimStream } from '../streams/topology.ts'

const listMinimumSequence = query<{ sequence: number | null }>('actor/list_minimum_sequence')

const TRIM_EVERY_MS = 2_000
/** Share of the stream's bytes from which on it is trimmed. */
const TRIM_FROM = 0.5

type Deps = { db: Db; jetStream: JetStream; topology: Topology; log: Log }

export function keepTrimmed(deps: Deps): { stop(): void } {
  let isBusy = false
  const timer = setInterval(async () => {
    if (isBusy) return
    isBusy = true
    await trim(deps).catch((error) => deps.log.warn({ err: error }, 'SWAP could not be trimmed'))
    isBusy = false
  }, TRIM_EVERY_MS)
  return { stop: () => clearInterval(timer) }
}

async function trim({ db, jetStream, topology, log }: Deps): Promise<void> {
  // Asked each time: a stream may have been recreated since.
  const { stream, epoch } = (await ensureTopology(jetStream, topology)).swap
  const state = await streamState(jetStream, stream)
  if (state.maxBytes < 0 || state.bytes < state.maxBytes * TRIM_FROM) return
  const [row] = await listMinimumSequence(db, ['pool', epoch])
  const sequence = row?.sequence ?? null
  if (sequence === null || sequence < state.first) return
  await trimStream(jetStream, stream, sequence + 1)
  log.info({ stream, from: state.first, to: sequence }, 'let go of what every lane has read')
}
