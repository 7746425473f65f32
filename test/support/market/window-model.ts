// Figures of tokens in a window, the naive way: from all swaps, only by docs/semantics.md#token-windows.

import type { Swap } from '../../../domain/events/swap.ts'
import { naiveMinutes } from '../../simulation/models/candle-model.ts'
import { exactQuotient } from '../../simulation/models/exact.ts'
import { inWindow, volumeOf } from './random-market.ts'

export const LAMPORTS = 1_000_000_000n

/** Figures of one token's swaps in the n minutes that end with the newest of all. */
export function naiveWindow(own: readonly Swap[], minutes: number) {
  const recent = inWindow(own, minutes)
  const pools = [...Map.groupBy(recent, ({ pairAddress }) => pairAddress)]
    .map(([pair, swaps]) => ({ pair, swaps, volume: volumeOf(swaps), prices: pricesOf(swaps) }))
    .filter(({ prices }) => prices !== null)
    .sort((a, b) => {
      if (a.volume !== b.volume) return a.volume > b.volume ? -1 : 1
      return b.swaps.length - a.swaps.length || (a.pair < b.pair ? -1 : 1)
    })
  const prices = pools[0]?.prices ?? null
  const usersOf = (isBuy: boolean): number =>
    new Set(recent.filter((swap) => swap.isBuy === isBuy).map(({ user }) => user)).size
  return {
    volume_sol: exactQuotient(volumeOf(recent), LAMPORTS),
    trades: recent.length,
    buys: recent.filter(({ isBuy }) => isBuy).length,
    sells: recent.filter(({ isBuy }) => !isBuy).length,
    buyers: usersOf(true),
    sellers: usersOf(false),
    change_pct: prices === null ? null : ((prices.close - prices.open) / prices.open) * 100,
    high: prices?.high ?? null,
    low: prices?.low ?? null,
  }
}

/** The merge of the minutes of one pool; null without a priced trade. */
function pricesOf(swaps: readonly Swap[]) {
  const priced = naiveMinutes(swaps).filter(({ open }) => open !== null)
  if (priced.length === 0) return null
  return {
    open: priced[0]!.open!,
    high: Math.max(...priced.map(({ high }) => high!)),
    low: Math.min(...priced.map(({ low }) => low!)),
    close: priced.at(-1)!.close!,
  }
}
