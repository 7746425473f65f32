/**
 * Time series of a token's buyers: for each minute (or hour) in which it was bought, the bottom-k sketch of the buying
 * wallets (traders.ts). Pure.
 *
 * The wallets of all buckets are contiguous and ascend by bucket, so the wallets of a window are one slice, which is
 * read without a copy.
 */
import { lowerBound, NumberDeque } from './number-deque.ts'

/** Cells of an index record: the bucket, and the end of its wallets. */
const WIDTH = 2

/**
 * Mixed wallets of adjacent buckets: `cells[from]` to before `cells[to]`, with a wallet once for each of its buckets.
 * `below`: the smallest bound of the buckets' sketches; every wallet below it is included. Absent: all wallets are.
 */
export type BuyerSlice = {
  readonly cells: ArrayLike<number>
  readonly from: number
  readonly to: number
  readonly bucketCount: number
  readonly below: number | undefined
}

const NO_BUYERS: BuyerSlice = { cells: [], from: 0, to: 0, bucketCount: 0, below: undefined }

export class BuyerBuckets {
  /** Index records, ascending by bucket. */
  private readonly index = new NumberDeque(false)
  private readonly wallets = new NumberDeque(false)
  /** By bucket: the bound of a sketch that left wallets out. */
  private bounds: Map<number, number> | undefined

  get count(): number {
    return (this.index.end - this.index.first) / WIDTH
  }

  /** Whether no bucket left a wallet out. */
  get areExact(): boolean {
    return this.bounds === undefined
  }

  /** Appends a bucket with its mixed wallets; `below` null: these are all, else all below that bound. */
  push(at: number, bought: readonly number[], below: number | null): void {
    const { index, wallets } = this
    this.shift(wallets.reserve(bought.length))
    for (const wallet of bought) wallets.cells[wallets.end++] = wallet
    index.reserve(WIDTH)
    index.cells[index.end] = at
    index.cells[index.end + 1] = wallets.end
    index.end += WIDTH
    if (below === null) return
    this.bounds ??= new Map()
    this.bounds.set(at, below)
  }

  /** Number of wallets from a bucket on, a wallet counted once for each of its buckets. */
  walletsFrom(at: number): number {
    return this.wallets.end - this.startOf(this.lowerBound(at))
  }

  /** The wallets of buckets `from` to before `to`. */
  sliceOf(from: number, to: number): BuyerSlice {
    const offset = this.lowerBound(from)
    const end = this.lowerBound(to)
    if (offset === end) return NO_BUYERS
    return {
      cells: this.wallets.cells,
      from: this.startOf(offset),
      to: this.startOf(end),
      bucketCount: end - offset,
      below: this.boundOf(offset, end),
    }
  }

  /** Removes this bucket and all later ones. */
  truncateFrom(at: number): void {
    const offset = this.lowerBound(at)
    this.wallets.end = this.startOf(offset)
    this.index.end = this.index.first + offset * WIDTH
    this.deleteBounds((each) => each >= at)
  }

  /** Removes all buckets before this one. */
  dropBefore(at: number): void {
    const count = this.lowerBound(at)
    if (count === 0) return
    const gone = this.startOf(count) - this.wallets.first
    this.index.dropFirst(count * WIDTH)
    this.shift(this.wallets.dropFirst(gone))
    this.deleteBounds((each) => each < at)
  }

  /** Corrects the index after the wallets moved to the front by `moved` cells. */
  private shift(moved: number): void {
    if (moved === 0) return
    const { cells, first, end } = this.index
    for (let cell = first + 1; cell < end; cell += WIDTH) cells[cell]! -= moved
  }

  /** Cell at which the wallets of the bucket at this offset begin. */
  private startOf(offset: number): number {
    const { cells, first } = this.index
    return offset === 0 ? this.wallets.first : cells[first + offset * WIDTH - 1]!
  }

  /** Offset of the first bucket that is `at` or later. */
  private lowerBound(at: number): number {
    const { cells, first } = this.index
    return lowerBound(cells, first, WIDTH, this.count, at)
  }

  private boundOf(offset: number, end: number): number | undefined {
    if (this.bounds === undefined) return undefined
    const { cells, first } = this.index
    let least: number | undefined
    for (let each = offset; each < end; each++) {
      const below = this.bounds.get(cells[first + each * WIDTH]!)
      if (below !== undefined && (least === undefined || below < least)) least = below
    }
    return least
  }

  private deleteBounds(isGone: (at: number) => boolean): void {
    if (this.bounds === undefined) return
    for (const at of this.bounds.keys()) if (isGone(at)) this.bounds.delete(at)
    if (this.bounds.size === 0) this.bounds = undefined
  }
}
