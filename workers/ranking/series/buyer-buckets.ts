/**
 * Buyers of a token by the minute or by the hour, ascending. Pure. Wallets of all buckets are contiguous,
 * so those of a window are a slice.
 */
import { offsetOf, Strip } from './number-deque.ts'

/** A bucket, and where its wallets end. */
const WIDTH = 2

/**
 * Mixed wallets of some buckets: `cells` from `from` to before `to`. `below`: the least of the buckets' bounds, below
 * which all wallets are known; absent: everywhere.
 */
export type BuyerRun = {
  readonly cells: ArrayLike<number>
  readonly from: number
  readonly to: number
  readonly bucketCount: number
  readonly below: number | undefined
}

const NOBODY: BuyerRun = { cells: [], from: 0, to: 0, bucketCount: 0, below: undefined }

export class BuyerBuckets {
  private readonly heads = new Strip(false)
  private readonly wallets = new Strip(false)
  /** Bounds of the buckets that do not have all of their wallets. */
  private bounds: Map<number, number> | undefined

  get count(): number {
    return (this.heads.end - this.heads.first) / WIDTH
  }

  get areExact(): boolean {
    return this.bounds === undefined
  }

  /** Mixed wallets, all of them or those below a bound. */
  push(at: number, bought: readonly number[], below: number | null): void {
    const { heads, wallets } = this
    this.shift(wallets.makeRoom(bought.length))
    for (const wallet of bought) wallets.cells[wallets.end++] = wallet
    heads.makeRoom(WIDTH)
    heads.cells[heads.end] = at
    heads.cells[heads.end + 1] = wallets.end
    heads.end += WIDTH
    if (below === null) return
    this.bounds ??= new Map()
    this.bounds.set(at, below)
  }

  /** How many wallets there are from a bucket on, each as often as it is in one. */
  walletsFrom(at: number): number {
    return this.wallets.end - this.startOf(this.offsetOf(at))
  }

  /** Those of buckets `from` to before `to`. */
  runOf(from: number, to: number): BuyerRun {
    const offset = this.offsetOf(from)
    const end = this.offsetOf(to)
    if (offset === end) return NOBODY
    return {
      cells: this.wallets.cells,
      from: this.startOf(offset),
      to: this.startOf(end),
      bucketCount: end - offset,
      below: this.boundOf(offset, end),
    }
  }

  /** Takes out this bucket and all after it. */
  cutFrom(at: number): void {
    const offset = this.offsetOf(at)
    this.wallets.end = this.startOf(offset)
    this.heads.end = this.heads.first + offset * WIDTH
    this.forgetBounds((each) => each >= at)
  }

  /** Drops all buckets before this one. */
  dropBefore(at: number): void {
    const count = this.offsetOf(at)
    if (count === 0) return
    const gone = this.startOf(count) - this.wallets.first
    this.heads.dropFirst(count * WIDTH)
    this.shift(this.wallets.dropFirst(gone))
    this.forgetBounds((each) => each < at)
  }

  /** Wallets moved to the front by so much. */
  private shift(moved: number): void {
    if (moved === 0) return
    const { cells, first, end } = this.heads
    for (let cell = first + 1; cell < end; cell += WIDTH) cells[cell]! -= moved
  }

  /** Where the wallets of the bucket at a place begin. */
  private startOf(offset: number): number {
    const { cells, first } = this.heads
    return offset === 0 ? this.wallets.first : cells[first + offset * WIDTH - 1]!
  }

  /** The first place of this bucket or a later one. */
  private offsetOf(at: number): number {
    const { cells, first } = this.heads
    return offsetOf(cells, first, WIDTH, this.count, at)
  }

  private boundOf(offset: number, end: number): number | undefined {
    if (this.bounds === undefined) return undefined
    const { cells, first } = this.heads
    let least: number | undefined
    for (let each = offset; each < end; each++) {
      const below = this.bounds.get(cells[first + each * WIDTH]!)
      if (below !== undefined && (least === undefined || below < least)) least = below
    }
    return least
  }

  private forgetBounds(isGone: (at: number) => boolean): void {
    if (this.bounds === undefined) return
    for (const at of this.bounds.keys()) if (isGone(at)) this.bounds.delete(at)
    if (this.bounds.size === 0) this.bounds = undefined
  }
}
