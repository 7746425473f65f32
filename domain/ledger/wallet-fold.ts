/**
 * Folds a wallet's swaps of several mints from an empty state, for a request that no row answers (one venue only).
 * Pure.
 *
 * Law: it is the ledger's fold. Only positions with a balance are cached: one without does not affect later swaps, so
 * memory depends on the open positions, not on the length of the history.
 */
import type { HourFigures } from './hours.ts'
import { applyToPosition, emptyPosition, type LedgerSwap, type PositionState } from './position.ts'

export class WalletFold {
  /** Positions with a balance, by mint (whatever names it). */
  readonly open = new Map<number, PositionState>()
  readonly #onHour: (tokenId: number, figures: HourFigures) => void

  /** `onHour` receives each swap's effect on its hour. */
  constructor(onHour: (tokenId: number, figures: HourFigures) => void = () => {}) {
    this.#onHour = onHour
  }

  /** Swaps of one mint come in canonical order. */
  take(tokenId: number, swap: LedgerSwap): void {
    const state = this.open.get(tokenId) ?? emptyPosition()
    applyToPosition(state, swap)
    for (const figures of state.hours.values()) this.#onHour(tokenId, figures)
    state.hours.clear()
    if (state.balance === 0n) this.open.delete(tokenId)
    else this.open.set(tokenId, state)
  }
}
