/** The stored events of a retracted block in the pools of one lane. */
import { RetractedBlocks, type Retraction } from '../../../domain/events/retraction.ts'
import type { PoolEventRow } from '../../../domain/events/stored-row.ts'
import { listSlotSwaps, type SlotSwapRow } from '../../../history/swaps/slots.ts'
import { query } from '../../../sql/query.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import type { LaneContext } from '../../runtime/actor.ts'

type SlotEventRow = PoolEventRow & { pool_id: number; token_id: number }

export type SlotRows = {
  /** The events to take out. */
  swaps: SlotSwapRow[]
  events: SlotEventRow[]
  /** The swaps of other blocks of the slot, which are left. */
  leftSwaps: SlotSwapRow[]
}

const listSlotPoolEvents = query<SlotEventRow>('retraction/list_slot_pool_events')

/** Whether a pool is a lane's. */
export type IsOwn = (pairAddress: string) => boolean

export function ownPools({ lane, topology }: Pick<LaneContext, 'lane' | 'topology'>): IsOwn {
  return (pairAddress) => laneOf(pairAddress, topology.laneCount) === lane
}

export async function loadSlotRows(
  context: LaneContext,
  retraction: Retraction,
): Promise<SlotRows> {
  const isOwn = ownPools(context)
  const [swaps, events] = await Promise.all([
    listSlotSwaps(context.db, retraction.slot),
    listSlotPoolEvents(context.db, [retraction.slot]),
  ])
  const blocks = new RetractedBlocks([retraction])
  const isRetracted = ({ slot, blockhash }: { slot: number; blockhash: string | null }) =>
    blocks.has({ slot, blockhash: blockhash ?? undefined })
  const ownSwaps = swaps.filter((row) => isOwn(row.pair_address))
  return {
    swaps: ownSwaps.filter(isRetracted),
    events: events.filter((row) => isOwn(row.pair_address) && isRetracted(row)),
    leftSwaps: ownSwaps.filter((row) => !isRetracted(row)),
  }
}
