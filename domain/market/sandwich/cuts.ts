/**
 * Where the history of a pool may be cut without cutting a sandwich: no pair of swaps near each other lies on both sides that
 * could be its legs. So each stretch between two cuts is searched by itself, and a change of one slot concerns no more than the
 * stretches next to it.
 *
 * Decision: docs/decisions/0102-sandwiches-are-searched-between-cuts.md
 */
import type { Swap } from '../../events/swap.ts'
import { DUST_BASE_UNITS } from '../../venue.ts'
import { walletTokens } from '../wallet-legs.ts'

/** Slots from the first leg of a sandwich to its last, at most. */
export const WINDOW_MAX = 4
/**
 * Slots after which no later swap changes a bracket, counted from its first leg: its last leg is a window later, a third swap of its
 * quantity a window after this, one of its victims may be a leg of another bracket, for which the same holds from there, and the
 * repeats of its wallets end with its last leg.
 *
 * Decision: docs/decisions/0125-sandwiches-as-of-a-slot-are-settled.md
 */
export const SETTLING_SLOTS = 4 * WINDOW_MAX
/** Slots that begin a stretch in any case: a bot that trades both sides without a pause would never end one. */
const STRETCH_SLOTS = 4_096

type Seen = { readonly slot: number; readonly isBuy: boolean }

/** The slots that a stretch may not begin with. */
export function joinedSlots(swaps: readonly Swap[], window: number): ReadonlySet<number> {
  const joined = new Set<number>()
  const seen = new Map<string, Seen[]>()
  for (const swap of swaps.toSorted((a, b) => a.slot - b.slot)) {
    const { slot, isBuy } = swap
    for (const key of keysOf(swap)) {
      const near = (seen.get(key) ?? []).filter((each) => slot - each.slot <= window)
      const first = near.find((each) => each.isBuy !== isBuy)
      for (let at = (first?.slot ?? slot) + 1; at <= slot; at++) joined.add(at)
      if (!near.some((each) => each.slot === slot && each.isBuy === isBuy))
        near.push({ slot, isBuy })
      seen.set(key, near)
    }
  }
  return joined
}

export const isCut = (joined: ReadonlySet<number>, slot: number): boolean =>
  slot % STRETCH_SLOTS === 0 || !joined.has(slot)

/** A wallet, and a quantity that two wallets may share. */
function keysOf(swap: Swap): string[] {
  const tokens = walletTokens(swap)
  return tokens < DUST_BASE_UNITS ? [swap.user] : [swap.user, String(tokens)]
}

/** Slots from the first to before the second. */
export type Stretch = { readonly from: number; readonly end: number }

/** Slots around a touched one that its swaps may concern: pairs of one quantity look this far for a third. */
export const MARGIN_SLOTS = 2 * WINDOW_MAX

/**
 * The stretches that a change in slots `first` to `last` may concern, as one; undefined where the swaps do not reach far enough to
 * know. `swaps`: of the pool, from `known.from` to before `known.end`, without a gap.
 */
export function concernedStretch(
  swaps: readonly Swap[],
  { first, last }: { readonly first: number; readonly last: number },
  known: Stretch,
): Stretch | undefined {
  const joined = joinedSlots(swaps, WINDOW_MAX)
  let from = first - MARGIN_SLOTS
  while (from > known.from && !isCut(joined, from)) from--
  let end = last + MARGIN_SLOTS + 1
  while (end < known.end && !isCut(joined, end)) end++
  const isKnown = from - WINDOW_MAX >= known.from && end + WINDOW_MAX <= known.end
  return isKnown ? { from, end } : undefined
}
