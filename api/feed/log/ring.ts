/**
 * Ring buffer of the newest messages of FEED, bounded in bytes; most readers are served from it. Pure.
 * Sequences rise; a message that was deleted from the stream leaves a hole.
 */
import type { FeedBatch } from './batch.ts'

export class Ring {
  private readonly bytesMax: number
  private batches: FeedBatch[] = []
  /** Index of the oldest batch; those before it are dropped in bulk, not one by one. */
  private start = 0
  private bytes = 0

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** The oldest sequence in the ring; infinite if it is empty. */
  get first(): number {
    return this.batches[this.start]?.sequence ?? Number.POSITIVE_INFINITY
  }

  push(batch: FeedBatch): void {
    this.batches.push(batch)
    this.bytes += batch.payload.length
    while (this.bytes > this.bytesMax && this.start < this.batches.length - 1) {
      this.bytes -= this.batches[this.start]?.payload.length ?? 0
      this.start++
    }
    if (this.start > 1024 && this.start * 2 > this.batches.length) {
      this.batches = this.batches.slice(this.start)
      this.start = 0
    }
  }

  /** The first batch at or after a sequence. */
  from(sequence: number): FeedBatch | undefined {
    return this.batches[this.indexOf(sequence)]
  }

  /** Up to `countMax` batches from that one on. */
  run(sequence: number, countMax: number): readonly FeedBatch[] {
    const index = this.indexOf(sequence)
    return this.batches.slice(index, index + countMax)
  }

  private indexOf(sequence: number): number {
    let low = this.start
    let high = this.batches.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.batches[middle]?.sequence ?? 0) < sequence) low = middle + 1
      else high = middle
    }
    return low
  }

  clear(): void {
    this.batches = []
    this.start = 0
    this.bytes = 0
  }
}
