/**
 * A compact deque of numbers: contiguous, appended at the end, removed at either end. Pure. The time series of millions
 * of tokens are stored in these.
 *
 * Invariant: up to LIST_MAX numbers are stored in a plain array, more in a typed one. A typed array has an overhead of
 * some 300 bytes, which exceeds the content of most series; a plain one has 50, but counts towards the heap limit.
 */
type Cells = number[] | Float64Array | Int32Array

/** Longest plain array. */
const LIST_MAX = 64
/** Capacity of a new array, as a multiple of its entries: with less, nearly each append would reallocate. */
const SPARE = 9 / 8
const LIST_SPARE = 3 / 2
/** Cells that were removed at the front are reused once they are this share of all. */
const REMOVED_SHARE = 1 / 16
/** An array that is used below this share is shrunk. */
const USED_SHARE = 1 / 4

/** A copy of 32-bit integers with the least memory overhead. */
export const packedIntegers = (integers: readonly number[]): ArrayLike<number> =>
  integers.length <= LIST_MAX ? integers.slice() : new Int32Array(integers)

/**
 * Binary search over `count` records of `width` cells from `first` on, ascending by their first cell. Returns the index of
 * the first record whose first cell is `key` or more.
 */
export function lowerBound(
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

export class NumberDeque {
  /** Entries lie from `first` to before `end`; the other cells are spare. */
  cells: Cells = []
  first = 0
  end = 0
  private readonly isFloat64: boolean

  /** `isFloat64`: holds any double; else integers of 32 bits. */
  constructor(isFloat64: boolean) {
    this.isFloat64 = isFloat64
  }

  /** Ensures capacity for `count` more entries at the end; returns by how many cells the entries moved to the front. */
  reserve(count: number): number {
    if (this.end + count <= this.cells.length) return 0
    const { cells, first, end } = this
    const wanted = end - first + count
    if (first < REMOVED_SHARE * cells.length || wanted > cells.length) return this.moveTo(wanted)
    cells.copyWithin(0, first, end)
    this.first = 0
    this.end = end - first
    return first
  }

  /** Removes the first `count` entries; returns by how many cells the remaining ones moved to the front. */
  dropFirst(count: number): number {
    this.first += count
    const used = this.end - this.first
    if (this.cells.length <= LIST_MAX || used > USED_SHARE * this.cells.length) return 0
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
      return new Array<number>(length).fill(this.isFloat64 ? Number.NaN : 0)
    }
    const length = Math.ceil(SPARE * wanted)
    return this.isFloat64 ? new Float64Array(length) : new Int32Array(length)
  }
}
