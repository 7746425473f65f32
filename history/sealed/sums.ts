/** Sums and ids that scans of sealed swaps collect. Memory grows with buckets and ids, not with swaps. Pure. */
import type { StoredSwap } from './stored-swap.ts'

/** `lamports`: the text of an integer. */
export type VenueSum = { bucketMs: number; dex: number; trades: number; lamports: string }
type Sum = { readonly bucketMs: number; readonly dex: number; trades: number; lamports: bigint }

/** Trades and SOL of venues by bucket. */
export class VenueSums {
  private readonly widthMs: number
  private readonly sums = new Map<string, Sum>()

  constructor(widthMs: number) {
    this.widthMs = widthMs
  }

  add({ timestamp_ms, dex, sol_amount }: StoredSwap): void {
    const bucketMs = Math.floor(timestamp_ms / this.widthMs) * this.widthMs
    const key = `${bucketMs} ${dex}`
    const sum = this.sums.get(key) ?? { bucketMs, dex, trades: 0, lamports: 0n }
    sum.trades += 1
    sum.lamports += BigInt(sol_amount)
    this.sums.set(key, sum)
  }

  /** Sums of buckets that begin from the first to before the second Unix ms. */
  within([fromMs, toMs]: readonly [number, number]): VenueSum[] {
    const own: VenueSum[] = []
    for (const { lamports, ...sum } of this.sums.values()) {
      if (sum.bucketMs < fromMs || sum.bucketMs >= toMs) continue
      own.push({ ...sum, lamports: lamports.toString() })
    }
    return own
  }
}

/** Ids of rows, a bit each: they are numbered from 1 on. */
export class SeenIds {
  private bits = new Uint8Array(1024)

  /** Returns each of the ids that was not seen before, once. */
  newOf(ids: readonly number[]): number[] {
    return ids.filter((id) => {
      const [index, bit] = [id >>> 3, 1 << (id & 7)]
      if (index >= this.bits.length) this.grow(index)
      if ((this.bits[index]! & bit) !== 0) return false
      this.bits[index]! |= bit
      return true
    })
  }

  private grow(index: number): void {
    const bits = new Uint8Array(2 * (index + 1))
    bits.set(this.bits)
    this.bits = bits
  }
}
