/** First and last times of runs of slots, from swaps in any order, compared with the stored ones. */
import { SLOT_SPAN_WIDTHS } from '../pool/write/slot-span.ts'
import { Comparison } from './comparison.ts'

export type SpanRow = { width: number; bucket: number; first_ms: number; last_ms: number }
type OfWidth = { width: number; spans: Map<number, SpanRow>; newest: SpanRow | undefined }

export class SpanComparison {
  readonly comparison = new Comparison('slot_span')
  private readonly byWidth: readonly OfWidth[]

  constructor(widths: readonly number[] = SLOT_SPAN_WIDTHS) {
    this.byWidth = widths.map((width) => ({ width, spans: new Map(), newest: undefined }))
  }

  add({ slot, timestamp_ms: ms }: { slot: number; timestamp_ms: number }): void {
    for (const each of this.byWidth) {
      const bucket = Math.floor(slot / each.width) * each.width
      // Mostly the run of the swap before.
      if (each.newest?.bucket !== bucket) each.newest = spanAt(each, bucket, ms)
      const span = each.newest
      if (ms < span.first_ms) span.first_ms = ms
      if (ms > span.last_ms) span.last_ms = ms
    }
  }

  /** Once, after all swaps. `stored`: in the order of width and bucket; those before a slot are left out. */
  compare(stored: readonly SpanRow[], fromSlot = 0): void {
    const text = (span: SpanRow | undefined) =>
      span === undefined ? 'absent' : `${span.first_ms}..${span.last_ms}`
    for (const row of stored) {
      if (row.bucket < fromSlot) continue
      const spans = this.byWidth.find(({ width }) => width === row.width)?.spans
      this.comparison.row(`${row.width} ${row.bucket}`, text(row), text(spans?.get(row.bucket)))
      spans?.delete(row.bucket)
    }
    for (const { width, spans } of this.byWidth) {
      for (const [bucket, folded] of spans) {
        if (bucket < fromSlot) continue
        this.comparison.row(`${width} ${bucket}`, 'absent', text(folded))
      }
    }
  }
}

function spanAt({ width, spans }: OfWidth, bucket: number, ms: number): SpanRow {
  const known = spans.get(bucket)
  if (known !== undefined) return known
  const span = { width, bucket, first_ms: ms, last_ms: ms }
  spans.set(bucket, span)
  return span
}
