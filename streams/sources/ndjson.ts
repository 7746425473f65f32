/**
 * Bytes of NDJSON as batches of a source, for files and standard input.
 *
 * A batch is what one block of 64 KiB holds, so that a line costs no step of its own. Its cursor, `BYTES:LINES`, lies at
 * the beginning of a line. A refused line is a notice with the input's name and the line's number; the lines after it
 * are yielded.
 */
import type { Event } from '../../domain/events/event.ts'
import { parseEvent } from '../ingest/contract.ts'
import { type Line, type LinePosition, readLines } from '../ingest/reading/ndjson.ts'
import { refusalsOfLine, refuseLine } from '../ingest/refusal.ts'
import { sourceErrorOf } from './open-file.ts'
import {
  type ChainTime,
  type Cursor,
  newestOf,
  type SourceBatch,
  SourceError,
  type SourceNotice,
} from './source.ts'

type NdjsonInput = {
  /** Prefix of the line's number in notices. */
  name: string
  /** Opens the bytes from an offset on. */
  openAt: (bytes: number) => Promise<AsyncIterable<Uint8Array>>
  /** Bytes of the whole input, known once it is open; undefined for a pipe. */
  bytesTotal: () => number | undefined
  /** Unix ms of the wall clock: a timestamp too far ahead of it is refused. */
  now: () => number
}

const BEGINNING: LinePosition = { bytes: 0, lines: 0 }
const CURSOR = /^(\d{1,15}):(\d{1,15})$/

export async function* readNdjson(
  input: NdjsonInput,
  after: Cursor | undefined,
  signal: AbortSignal,
): AsyncGenerator<SourceBatch> {
  const from = after === undefined ? BEGINNING : readCursor(after, input.name)
  let newest: ChainTime | undefined
  try {
    for await (const { lines, end } of readLines(await input.openAt(from.bytes), from)) {
      if (signal.aborted) return
      const { events, notices } = parseLines(lines, input)
      newest = newestOf(events, newest)
      const cursor = `${end.bytes}:${end.lines}`
      const bytesTotal = input.bytesTotal()
      const share = bytesTotal ? { share: Math.min(1, end.bytes / bytesTotal) } : {}
      yield { events, notices, cursor, units: lines.length, newest, ...share }
      if (signal.aborted) return
    }
  } catch (cause) {
    if (signal.aborted) return
    throw sourceErrorOf(cause)
  }
}

function parseLines(
  lines: readonly Line[],
  { name, now }: NdjsonInput,
): { events: Event[]; notices: SourceNotice[] } {
  const events: Event[] = []
  const notices: SourceNotice[] = []
  const nowMs = now()
  for (const line of lines) {
    const result =
      line.error === undefined
        ? parseEvent(line.text, nowMs)
        : { refusals: [refuseLine(line.text, line.error)] }
    if ('event' in result) events.push(result.event)
    const kind = 'event' in result ? 'left_out' : 'refused'
    const reasons = 'event' in result ? result.warnings : refusalsOfLine(result.refusals, line)
    if (reasons !== undefined) notices.push({ kind, at: `${name}:${line.number}`, reasons })
  }
  return { events, notices }
}

function readCursor(cursor: Cursor, name: string): LinePosition {
  const [, bytes, lines] = CURSOR.exec(cursor) ?? []
  if (bytes === undefined || lines === undefined) {
    const expected = 'expected BYTES:LINES, as an earlier run of the same input reported it'
    throw new SourceError(`cursor "${cursor}" of ${name}: ${expected}`, { isRetryable: false })
  }
  return { bytes: Number(bytes), lines: Number(lines) }
}
