/**
 * How long a list looks for rows that fit before its page ends where it has come to.
 *
 * Law: what a request costs is bounded, however rare that is which it asks for. A page that ends early has a
 * cursor, so that nothing is missed: clients go on until `next_cursor` is null.
 */

export class ScanBudget {
  readonly wholeMs: number
  private readonly endsAtMs: number

  constructor(wholeMs: number) {
    this.wholeMs = wholeMs
    this.endsAtMs = performance.now() + wholeMs
  }

  /** Milliseconds, whole; 0: the next row that comes, whether it fits or not, ends the page. */
  leftMs(): number {
    return Math.max(0, Math.floor(this.endsAtMs - performance.now()))
  }
}
