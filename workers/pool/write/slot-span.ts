/**
 * First and last time of runs of slots, at two widths: they convert a window of time to a range of slots. The third is
 * for the newest time of all: one run of 12 years of chain. Pure.
 */
import type { AcceptedSwap } from '../pool-state.ts'

export const SLOT_SPAN_WIDTHS = [100, 10_000, 1_000_000_000] as const

/** In the form of pool/merge_sums' parameters: sorted, one row a width and bucket. */
export function slotSpans(accepted: readonly AcceptedSwap[]): number[][] {
  const columns: number[][] = [[], [], [], []]
  for (const width of SLOT_SPAN_WIDTHS) {
    const spans = new Map<number, { first: number; last: number }>()
    for (const { swap } of accepted) {
      const bucket = Math.floor(swap.slot / width) * width
      const span = spans.get(bucket)
      if (span === undefined) spans.set(bucket, { first: swap.timestamp, last: swap.timestamp })
      else {
        span.first = Math.min(span.first, swap.timestamp)
        span.last = Math.max(span.last, swap.timestamp)
      }
    }
    for (const [bucket, span] of [...spans].sort(([a], [b]) => a - b)) {
      const row = [width, bucket, span.first, span.last]
      for (const [index, value] of row.entries()) columns[index]!.push(value)
    }
  }
  return columns
}
