/**
 * Scan budget: how long a list searches for matching rows before its page ends early.
 *
 * It bounds the cost of a request, however rare the matching rows are. A page that ends early has a cursor, so that
 * nothing is missed: clients continue until `next_cursor` is null.
 */

export class ScanBudget {
  private readonly endsAtMs: number

  constructor(wholeMs: number) {
    this.endsAtMs = performance.now() + wholeMs
  }

  /** Milliseconds, whole; 0: the next row that comes, whether it fits or not, ends the page. */
  leftMs(): number {
    return Math.max(0, Math.floor(this.endsAtMs - performance.now()))
  }
}
