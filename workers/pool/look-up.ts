/**
 * Whether a lane looks up which swaps of a batch are stored before it folds them. Pure.
 *
 * A trusting lane assumes that every swap is new and does not look it up. A unique index has one row 0 of each
 * signature and pair, which every batch with a swap of these writes: a commit that holds a stored swap is refused
 * whole, and the lane repeats the same batch, looking. So both modes are exact and differ in their price: a look-up
 * costs a twelfth of what a swap does, a refusal a whole batch.
 *
 *   trusting --- refused ---> looking --- so many new swaps in a row ---> trusting
 * Decision: docs/decisions/0007-optimistic-deduplication.md
 */
export type LookUpMode = 'trusting' | 'looking'

/** Looking up so many swaps costs as much as one refused batch of 3,500. */
export const TRUSTED_AFTER_SWAPS = 50_000

/** A commit, or its fold, met a stored swap: the lane repeats the batch, looking. */
export class StoredAlready extends Error {}

/** A lane's mode. It outlives the lane's memory, which a refusal drops. */
export class LookUp {
  private current: LookUpMode = 'trusting'
  private unknownInARow = 0

  get mode(): LookUpMode {
    return this.current
  }

  /** A batch that was assumed to be new held stored swaps. */
  refused(): void {
    this.enter('looking')
  }

  /** A batch was looked up; `hasKnown`: trusting, it would have been refused. */
  looked(swaps: number, hasKnown: boolean): void {
    this.unknownInARow = hasKnown ? 0 : this.unknownInARow + swaps
    if (this.unknownInARow >= TRUSTED_AFTER_SWAPS) this.enter('trusting')
  }

  private enter(mode: LookUpMode): void {
    this.current = mode
    this.unknownInARow = 0
  }
}
