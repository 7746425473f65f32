/**
 * Cash flow that no cost basis knows, by UTC day: proceeds of sells without a buy, less what buys cost that brought
 * nothing. Pure.
 *
 * Law: cost basis = realized - (sells - buys) + this, in sums up to any moment, by lots as by the running average:
 *
 *   basis = cost of buys with a lot - cost given up, realized = covered proceeds - cost given up
 */
import {
  applyToPosition,
  emptyPosition,
  type PositionState,
} from '../../../domain/ledger/position.ts'
import { dayStartMs } from '../../../domain/time/utc-day.ts'
import type { WalletSwap } from '../wallets/ledger-swaps.ts'

export class UncostedFlow {
  /** Lamports by the ms with which the day begins. */
  readonly byDay = new Map<number, bigint>()
  readonly #open = new Map<number, PositionState>()

  /** Swaps of one mint come in canonical order, from its first on. */
  take(swap: WalletSwap): void {
    const state = this.#open.get(swap.tokenId) ?? emptyPosition()
    const { basis, uncoveredLamports: before } = state
    applyToPosition(state, swap)
    state.hours.clear()
    const bought = swap.isBuy ? BigInt(swap.solAmount) - (state.basis - basis) : 0n
    this.#add(swap.timestamp, state.uncoveredLamports - before - bought)
    if (state.balance === 0n) this.#open.delete(swap.tokenId)
    else this.#open.set(swap.tokenId, state)
  }

  #add(timestamp: number, lamports: bigint): void {
    if (lamports === 0n) return
    const dayMs = dayStartMs(timestamp)
    this.byDay.set(dayMs, (this.byDay.get(dayMs) ?? 0n) + lamports)
  }
}
