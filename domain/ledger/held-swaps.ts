/**
 * The swaps that the row of a position holds, out of those that are stored: the ledger lags the stored swaps by a moment. Pure.
 *
 * Law: what the row states of its newest swap decides in the slot of that swap. Where several swaps of the slot are equal in
 * that, the newest is the one up to which as many are stored as the row holds, else the last of them.
 */
import type { SwapOrderKey } from '../events/swap.ts'

/** Number of swaps that a position holds, and what its row states of the newest of them. */
export type PositionEnd = Pick<
  SwapOrderKey,
  'slot' | 'ixIndex' | 'dex' | 'isBuy' | 'solAmount' | 'tokenAmount'
> & { readonly swapCount: number }

export class HeldSwaps<S extends SwapOrderKey> {
  readonly #end: PositionEnd
  /** Stored swaps of lower slots. */
  #before = 0
  /** Stored swaps of the newest slot. */
  readonly #newest: S[] = []

  constructor(end: PositionEnd) {
    this.#end = end
  }

  /** Takes the canonically next stored swap of the position. Whether its slot is below the newest: the row holds it. */
  take(swap: S): boolean {
    if (swap.slot === this.#end.slot) this.#newest.push(swap)
    if (swap.slot >= this.#end.slot) return false
    this.#before += 1
    return true
  }

  /** The held swaps of the newest slot, in order, once all stored ones were taken. */
  rest(): S[] {
    const counts = this.#newest.flatMap((swap, index) =>
      isNewestOf(this.#end, swap) ? [this.#before + index + 1] : [],
    )
    const { swapCount } = this.#end
    const held = counts.includes(swapCount) ? swapCount : counts.at(-1)
    return held === undefined ? this.#newest : this.#newest.slice(0, held - this.#before)
  }
}

function isNewestOf(end: PositionEnd, swap: SwapOrderKey): boolean {
  return (
    swap.ixIndex === end.ixIndex &&
    swap.dex === end.dex &&
    swap.isBuy === end.isBuy &&
    swap.solAmount === end.solAmount &&
    swap.tokenAmount === end.tokenAmount
  )
}
