/**
 * Numbers side by side, appended at the end and removed at either: pure. The series of minutes of millions of tokens
 * are made of these.
 *
 * Invariant: few are held in a plain list, many in a typed array. A typed array has some 300 bytes around it, which are
 * more than most tokens have to keep, a list 50; but lists count towards the heap, which has a limit.
 */
export type Cells = number[] | Float64Array | Int32Array

/** Cells that a list holds at most. */
const LIST_MAX = 64
/**
 * The capacity of a new list, as a multiple of its entries; a smaller one would be reallocated with nearly each append.
 */
const SPARE = 9 / 8
const LIST_SPARE = 3 / 2
/** Cells that went are made use of once they are such a part of all. */
const GONE_PART = 1 / 16
/** An array that is used below this share is shrunk. */
const USED_PART = 1 / 4

/** The same numbers, integers of 32 bits, with as little around them as may be. */
export const packed = (integers: readonly number[]): ArrayLike<number> =>
  integers.length <= LIST_MAX ? integers.slice() : new Int32Array(integers)

/** Binary search over records of `width` cells from `first` on, ascending by first cell: the first with `key` or more. */
export function offsetOf(
  cells: ArrayLike<number>,
  first: number,
  width: number,
  count: number,
  key: number,
): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (cells[first + middle * width]! < key) from = middle + 1
    else to = middle
  }
  return from
}

export class Strip {
  /** Those from `first` to before `end` are in use. */
  cells: Cells = []
  first = 0
  end = 0
  private readonly isOfDoubles: boolean

  constructor(isOfDoubles: boolean) {
    this.isOfDoubles = isOfDoubles
  }

  /** Makes room for so many more entries at the end; returns how far those in use moved to the front. */
  makeRoom(count: number): number {
    if (this.end + count <= this.cells.length) return 0
    const { cells, first, end } = this
    const wanted = end - first + count
    if (first < GONE_PART * cells.length || wanted > cells.length) return this.moveTo(wanted)
    cells.copyWithin(0, first, end)
    this.first = 0
    this.end = end - first
    return first
  }

  /** Drops the first entries; returns how far the remaining ones moved to the front. */
  dropFirst(count: number): number {
    this.first += count
    const used = this.end - this.first
    if (this.cells.length <= LIST_MAX || used > USED_PART * this.cells.length) return 0
    return this.moveTo(used)
  }

  private moveTo(wanted: number): number {
    const { cells, first, end } = this
    const used = Array.isArray(cells) ? cells.slice(first, end) : cells.subarray(first, end)
    const made = this.make(wanted)
    if (!Array.isArray(made)) made.set(used)
    else for (let cell = 0; cell < used.length; cell++) made[cell] = used[cell]!
    this.cells = made
    this.first = 0
    this.end = end - first
    return first
  }

  private make(wanted: number): Cells {
    if (wanted <= LIST_MAX) {
      const length = Math.min(LIST_MAX, Math.ceil(LIST_SPARE * wanted))
      return new Array<number>(length).fill(this.isOfDoubles ? Number.NaN : 0)
    }
    const length = Math.ceil(SPARE * wanted)
    return this.isOfDoubles ? new Float64Array(length) : new Int32Array(length)
  }
}
