/**
 * Statistics of a wallet in a window, summed from hours. Pure.
 *
 * Wins, best and worst go by adjusted profit; of equal sells the canonically earlier wins.
 */

import { compareSwaps } from '../../../domain/events/swap.ts'
import type { HourFigures, JudgedSell } from '../../../domain/ledger/hours.ts'
import type { WindowHours } from '../../../domain/time/wallet-window.ts'

export type JudgedTrade = JudgedSell & { tokenId: number }

export class WindowFigures {
  tradeCount = 0
  coveredSellCount = 0
  winCount = 0
  volumeLamports = 0n
  best: JudgedTrade | undefined
  worst: JudgedTrade | undefined
  readonly #hours: WindowHours

  constructor(hours: WindowHours) {
    this.#hours = hours
  }

  /** Hours outside of the window do not count. */
  add(tokenId: number, figures: HourFigures): void {
    if (figures.hourMs < this.#hours.firstMs || figures.hourMs > this.#hours.lastMs) return
    this.tradeCount += figures.buyCount + figures.sellCount
    this.coveredSellCount += figures.coveredSellCount
    this.winCount += figures.winCount
    this.volumeLamports += figures.volumeLamports
    const { best, worst } = figures
    if (best !== undefined && isBefore(best, this.best, 1)) this.best = { ...best, tokenId }
    if (worst !== undefined && isBefore(worst, this.worst, -1)) this.worst = { ...worst, tokenId }
  }
}

/** Whether a sell is better (sign 1) or worse (sign -1) than another, or as good and earlier. */
function isBefore(sell: JudgedSell, other: JudgedSell | undefined, sign: 1 | -1): boolean {
  if (other === undefined) return true
  const { realizedLamports: own } = sell
  const { realizedLamports: its } = other
  if (own === its) return compareSwaps(sell.orderKey, other.orderKey) < 0
  return sign === 1 ? own > its : own < its
}
