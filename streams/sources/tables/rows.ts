/**
 * Rows of a table as a batch of a source: what CSV and Parquet have in common. Pure.
 */
import type { Event } from '../../../domain/events/event.ts'
import type { ParsedLine } from '../../ingest/contract.ts'
import type { Cursor } from '../source.ts'
import { SourceError, type SourceNotice } from '../source.ts'

type ParsedRow = { number: number; parsed: ParsedLine }

/** The events of rows and the notices of those that were refused, `name` before the row's number. */
export function collectRows(
  rows: readonly ParsedRow[],
  name: string,
): { events: Event[]; notices: SourceNotice[] } {
  const events: Event[] = []
  const notices: SourceNotice[] = []
  for (const { number, parsed } of rows) {
    if ('event' in parsed) events.push(parsed.event)
    const kind = 'event' in parsed ? 'left_out' : 'refused'
    const reasons = 'event' in parsed ? parsed.warnings : parsed.refusals
    if (reasons !== undefined) notices.push({ kind, at: `${name}:${number}`, reasons })
  }
  return { events, notices }
}

/** A cursor that is the number of lines or rows before it. Throws SourceError. */
export function readCount(
  cursor: Cursor | undefined,
  unit: 'LINES' | 'ROWS',
  name: string,
): number {
  if (cursor === undefined) return 0
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  const expected = `expected ${unit}, as an earlier run of the same input reported it`
  throw new SourceError(`cursor "${cursor}" of ${name}: ${expected}`, { isRetryable: false })
}
