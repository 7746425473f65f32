/**
 * Fills of copies: the state that a copy meets some slots after its leader, and its outcome there. Nothing above the last slot of
 * the question is read, and the state is never before the last swap of the leader's own transaction.
 *
 * Rules: docs/semantics.md#copying-wallets. Decision: docs/decisions/0105-a-copy-meets-the-recorded-market.md
 */
import type { SlotRange } from '../../coverage.ts'
import type { PoolEvent } from '../../events/pool-event.ts'
import type { OrderedSlot } from '../order.ts'
import {
  type Assumptions,
  type NotPriced,
  type Priced,
  type QuotedPool,
  quote,
  type Trade,
} from '../quote.ts'
import type { Order } from './order.ts'
import type { CopySettings } from './settings.ts'

/** A pool up to the last slot of the question. */
export type CopiedPool = {
  /** Ascending: at least those that hold the newest swap at each moment that is priced. */
  readonly slots: readonly OrderedSlot[]
  /** Slots after a slot, for evidence; absent where a formula prices its state. */
  readonly following: ReadonlyMap<number, readonly OrderedSlot[]>
  readonly events: readonly PoolEvent[]
  readonly migratedAtMs: number | undefined
  /** The key of the pool to which its liquidity moved, and from which slot on. */
  readonly closed: { readonly slot: number; readonly successor: string } | undefined
  /** Slots of its venue that were not read. */
  readonly gaps: readonly SlotRange[]
}
export type CopiedPools = ReadonlyMap<string, CopiedPool>

/**
 * The moment at which a trade is priced: the end of a slot, or of a transaction within it. `since`: the slot of the leader, from which on
 * every slot must have been read.
 */
export type Moment = {
  readonly pool: CopiedPool
  readonly slot: number
  readonly within?: string
  readonly since?: number
}

/** A pool account may trade several mints. */
export const poolKey = (pairAddress: string, mint: string): string => `${pairAddress} ${mint}`

export const fillSlotOf = ({ main }: Order, { delaySlots }: Pick<CopySettings, 'delaySlots'>) =>
  main.slot + delaySlots

/** The end of this slot is the moment of a fill, except directly after the leader. */
export function momentSlot(
  order: Order,
  settings: Pick<CopySettings, 'delaySlots' | 'position'>,
): number {
  const slot = fillSlotOf(order, settings)
  return settings.position === 'start' && settings.delaySlots > 0 ? slot - 1 : slot
}

/** Moment of the fill of an order, or the reason why there is none. */
export function fillMoment(
  order: Order,
  pools: CopiedPools,
  settings: CopySettings,
): Moment | 'after_end' | 'pool_closed' {
  const fillSlot = fillSlotOf(order, settings)
  if (fillSlot > settings.toSlot) return 'after_end'
  const slot = momentSlot(order, settings)
  const since = order.main.slot
  const pool = poolOf(order, pools)
  if (pool.closed !== undefined && pool.closed.slot <= fillSlot) {
    const successor = order.isBuy ? undefined : pools.get(pool.closed.successor)
    return successor !== undefined && lastUpTo(successor.slots, slot) >= 0
      ? { pool: successor, slot, since }
      : 'pool_closed'
  }
  const isDirect = settings.position === 'start' && settings.delaySlots === 0
  return isDirect ? leaderMoment(order, pools) : { pool, slot, since }
}

/** Directly after the leader's transaction. */
export function leaderMoment(order: Order, pools: CopiedPools): Moment {
  return { pool: poolOf(order, pools), slot: order.main.slot, within: order.main.signature }
}

export function priceAt(moment: Moment, trade: Trade, assumed: Assumptions): Priced | NotPriced {
  return quote(quotedPool(moment), trade, assumed)
}

/** Index of the last slot up to this one; -1: none. */
function lastUpTo(slots: readonly OrderedSlot[], slot: number): number {
  let [low, high] = [0, slots.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const at = slots[middle]
    if (at !== undefined && at.slot <= slot) low = middle + 1
    else high = middle
  }
  return low - 1
}

function poolOf({ main }: Order, pools: CopiedPools): CopiedPool {
  const pool = pools.get(poolKey(main.pairAddress, main.tokenAddress))
  if (pool === undefined) throw new RangeError(`pool "${main.pairAddress}" was not read`)
  return pool
}

function quotedPool({ pool, slot, within, since }: Moment): QuotedPool {
  const state = pool.slots[lastUpTo(pool.slots, slot)]
  const following = state === undefined ? [] : (pool.following.get(state.slot) ?? [])
  const cut = within === undefined ? undefined : cutAfter(state, within)
  const { events, migratedAtMs, gaps } = pool
  const known = { events, slot, migratedAtMs, isClosed: false }
  const first = Math.min(state?.slot ?? 0, since ?? slot)
  const hasGap = gaps.some(({ from, to }) => from <= slot && to >= first)
  if (cut === undefined) {
    return { ...known, slots: state === undefined ? [] : [state], following, hasGap }
  }
  const { upTo, after } = cut
  const lastTxIndex = upTo.swaps.at(-1)?.blockTxIndex
  return { ...known, slots: [upTo], following: [after, ...following], hasGap, lastTxIndex }
}

/** A slot in two, after the last swap of a transaction. */
function cutAfter(slot: OrderedSlot | undefined, signature: string) {
  if (slot === undefined) return undefined
  const at = slot.swaps.findLastIndex((swap) => swap.signature === signature) + 1
  if (at === 0) return undefined
  return {
    upTo: { ...slot, swaps: slot.swaps.slice(0, at) },
    after: { ...slot, swaps: slot.swaps.slice(at) },
  }
}
