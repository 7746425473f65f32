/** A swap in one shape, from REST and from the feed. */

import type { StreamedSwap, Swap } from '../../clients/typescript/generated.ts'

/** `venue`: its id, or its name as the feed has it. */
export type Trade = Omit<Swap, 'dex'> & { venue: number | string }

export function tradeOf({ dex, ...swap }: Swap): Trade {
  return { ...swap, venue: dex }
}

export function tradeOfStreamed({ dex, swap_type, kind: _, ...swap }: StreamedSwap): Trade {
  const impact = swap.price_impact_bps
  return {
    ...swap,
    venue: dex,
    is_buy: swap_type === 'buy',
    price_impact_bps: impact === null ? null : Number(impact),
  }
}

/** Names a swap among those of all lists. */
export function tradeKey({ signature, pair_address, ix_index, user, is_buy }: Trade): string {
  return `${signature} ${pair_address} ${ix_index} ${user} ${is_buy}`
}

export const isSameTrade = (one: Trade, other: Trade): boolean => tradeKey(one) === tradeKey(other)
