/**
 * Trims SWAP once it is half full, up to the position that every lane has committed: a full stream refuses
 * publishes. Unread messages are never deleted.
 */

import type { Log } from '../../domain/log.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import {
  ensureTopology,
  streamState,
  swapHead,
  type Topology,
  trimStream,
} from '../../streams/nats/topology.ts'

type LaneRow = { lane: number; stream_epoch: string | null; sequence: number }

const listLaneSequences = query<LaneRow>('actor/list_lane_sequences')

const TRIM_EVERY_MS = 2_000
/** Share of the stream's bytes from which on it is trimmed. */
const TRIM_FROM = 0.5

type Deps = { db: Db; jetStream: JetStream; topology: Topology; log: Log }

export function keepTrimmed(deps: Deps): { stop(): void } {
  let isBusy = false
  const timer = setInterval(async () => {
    if (isBusy) return
    isBusy = true
    await trim(deps).catch((error) => deps.log.warn({ err: error }, 'failed to trim stream SWAP'))
    isBusy = false
  }, TRIM_EVERY_MS)
  return { stop: () => clearInterval(timer) }
}

async function trim(deps: Deps): Promise<void> {
  // Queried each time: a stream may have been recreated since.
  const topology = await ensureTopology(deps.jetStream, deps.topology)
  const { stream } = topology.swap
  const state = await streamState(deps.jetStream, stream)
  if (state.maxBytes < 0 || state.bytes < state.maxBytes * TRIM_FROM) return
  const sequence = await readByAll({ ...deps, topology }, state.last)
  if (sequence < state.first) return
  await trimStream(deps.jetStream, stream, sequence + 1)
  deps.log.info(
    { stream, from: state.first, to: sequence },
    'trimmed stream up to the slowest lane',
  )
}

/**
 * Up to which sequence, `last` at most, every lane has read. A lane that has read its newest message,
 * or has none, holds nothing up: the stream may be full of what is not for it.
 */
async function readByAll({ db, jetStream, topology }: Deps, last: number): Promise<number> {
  const rows = await listLaneSequences(db, ['pool'])
  let sequence = last
  for (let lane = 0; lane < topology.laneCount; lane++) {
    const row = rows.find((each) => each.lane === lane)
    const read = row?.stream_epoch === topology.swap.epoch ? row.sequence : 0
    if (read < (await swapHead(jetStream, topology, lane))) sequence = Math.min(sequence, read)
  }
  return sequence
}
