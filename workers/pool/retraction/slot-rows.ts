/** The stored events of a slot in the pools of one lane. */
import type { PoolEventRow, SwapRow } from '../../../domain/events/stored-row.ts'
import { query } from '../../../sql/query.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import type { LaneContext } from '../../runtime/actor.ts'

type SlotSwapRow = SwapRow & { wallet_tags: number | null; token_id: number }
type SlotEventRow = PoolEventRow & { pool_id: number; token_id: number }

export type SlotRows = { slot: number; swaps: SlotSwapRow[]; events: SlotEventRow[] }

const listSlotSwaps = query<SlotSwapRow>('retraction/list_slot_swaps')
const listSlotPoolEvents = query<SlotEventRow>('retraction/list_slot_pool_events')

/** Whether a pool is a lane's. */
export type IsOwn = (pairAddress: string) => boolean

export function ownPools({ lane, topology }: Pick<LaneContext, 'lane' | 'topology'>): IsOwn {
  return (pairAddress) => laneOf(pairAddress, topology.laneCount) === lane
}

export async function loadSlotRows(context: LaneContext, slot: number): Promise<SlotRows> {
  const isOwn = ownPools(context)
  const [swaps, events] = await Promise.all([
    listSlotSwaps(context.db, [slot]),
    listSlotPoolEvents(context.db, [slot]),
  ])
  return {
    slot,
    swaps: swaps.filter((row) => isOwn(row.pair_address)),
    events: events.filter((row) => isOwn(row.pair_address)),
  }
}
