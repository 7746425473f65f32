/**
 * A table as CSV or TSV under a header, from a file or from standard input, by a mapping of its columns.
 *
 * Each record is judged separately and named by the line on which it begins. The cursor is the number of lines before it:
 * to resume, the lines are read again without being parsed, because a record's columns are known by the header only.
 */

import type { Readable } from 'node:stream'
import { counted } from '../../../domain/text/plural.ts'
import { type CsvRecord, CsvRecords } from '../../ingest/columns/csv-records.ts'
import { type Mapping, MappingError } from '../../ingest/columns/mapping.ts'
import { type RowReader, rowReader } from '../../ingest/columns/row-reader.ts'
import type { ParsedLine } from '../../ingest/contract.ts'
import { readLines } from '../../ingest/reading/ndjson.ts'
import { refuseLine } from '../../ingest/refusal.ts'
import { openFile, openPipe, sourceErrorOf } from '../open-file.ts'
import {
  type ChainTime,
  newestOf,
  SOURCE_BATCH_EVENTS_MAX,
  type Source,
  type SourceBatch,
} from '../source.ts'
import { STANDARD_INPUT } from '../standard-input.ts'
import { collectRows, readCount } from './rows.ts'

type CsvOptions = {
  /** `path` of a file, or standard input. */
  input: { path: string } | { stdin: Readable }
  delimiter: ',' | '\t'
  mapping: Mapping
  now: () => number
}

const READ_BYTES = 1024 * 1024

export function csvSource(options: CsvOptions): Source {
  const { input } = options
  return {
    // A pipe may bring rows as they happen.
    isLive: 'stdin' in input,
    open: (after, signal) => readCsv(options, after, signal),
  }
}

async function* readCsv(
  options: CsvOptions,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SourceBatch> {
  const { input } = options
  const name = 'path' in input ? input.path : STANDARD_INPUT
  const from = readCount(after, 'LINES', name)
  const table = new CsvTable(options)
  let newest: ChainTime | undefined
  try {
    const { bytes, bytesTotal } = await openBytes(input, signal)
    for await (const { records, lines, share } of recordsOf(bytes, bytesTotal, options.delimiter)) {
      if (signal.aborted) return
      const rows = table.read(records, from)
      for (let at = 0; at < Math.max(1, rows.length); at += SOURCE_BATCH_EVENTS_MAX) {
        const some = rows.slice(at, at + SOURCE_BATCH_EVENTS_MAX)
        const next = rows[at + SOURCE_BATCH_EVENTS_MAX]
        const { events, notices } = collectRows(some, name)
        newest = newestOf(events, newest)
        const cursor = String(next === undefined ? Math.max(from, lines) : next.number - 1)
        if (some.length === 0 && lines <= from) continue
        yield { events, notices, cursor, units: some.length, newest, ...share }
        if (signal.aborted) return
      }
    }
    table.expectHeader()
  } catch (cause) {
    if (signal.aborted) return
    throw sourceErrorOf(cause, [MappingError])
  }
}

async function openBytes(
  input: CsvOptions['input'],
  signal: AbortSignal,
): Promise<{ bytes: AsyncIterable<Uint8Array>; bytesTotal: number | undefined }> {
  if ('stdin' in input) return { bytes: openPipe(input.stdin, signal), bytesTotal: undefined }
  const opened = await openFile(input.path, signal, { highWaterMark: READ_BYTES })
  return { bytes: opened.input, bytesTotal: opened.bytesTotal }
}

type RecordRun = { records: CsvRecord[]; lines: number; share: { share?: number } }

/** Records that are whole, and the number of lines before the first one that is not. */
async function* recordsOf(
  bytes: AsyncIterable<Uint8Array>,
  bytesTotal: number | undefined,
  delimiter: string,
): AsyncGenerator<RecordRun> {
  const csv = new CsvRecords(delimiter)
  let lines = 0
  const shareOf = (read: number) => (bytesTotal ? { share: Math.min(1, read / bytesTotal) } : {})
  for await (const run of readLines(bytes, undefined, true)) {
    const records = csv.add(run.lines)
    lines = run.end.lines
    yield { records, lines: csv.firstHeld() ?? lines, share: shareOf(run.end.bytes) }
  }
  const records = csv.end()
  if (records.length > 0) yield { records, lines, share: shareOf(bytesTotal ?? 0) }
}

/** The header, then rows by it. */
class CsvTable {
  readonly #options: CsvOptions
  #columns = 0
  #indexes: number[] = []
  #reader: RowReader | undefined

  constructor(options: CsvOptions) {
    this.#options = options
  }

  /** The rows that begin after line `from`. Throws MappingError, also about the header. */
  read(records: readonly CsvRecord[], from: number): { number: number; parsed: ParsedLine }[] {
    const rows: { number: number; parsed: ParsedLine }[] = []
    const nowMs = this.#options.now()
    for (const record of records) {
      if (this.#reader === undefined) this.#reader = this.#readHeader(record)
      else if (record.number > from) {
        rows.push({ number: record.number, parsed: this.#parse(record, this.#reader, nowMs) })
      }
    }
    return rows
  }

  expectHeader(): void {
    if (this.#reader === undefined)
      throw new MappingError('expected a header that names the columns')
  }

  #readHeader(record: CsvRecord): RowReader {
    if ('error' in record) throw new MappingError(`header: ${record.error}`)
    const names = record.cells.map((cell) => cell.trim())
    const columns = names.map((name) => ({ name }))
    const reader = rowReader(this.#options.mapping, columns)
    this.#columns = names.length
    this.#indexes = reader.used.map((name) => names.indexOf(name))
    return reader
  }

  #parse(record: CsvRecord, reader: RowReader, nowMs: number): ParsedLine {
    if ('error' in record) return { refusals: [refuseLine(record.text, record.error)] }
    const { cells } = record
    if (cells.length !== this.#columns) {
      const reason = `expected ${counted(this.#columns, 'cell')} as in the header, found ${cells.length}`
      return { refusals: [refuseLine(record.text, reason)] }
    }
    return reader.read(
      this.#indexes.map((index) => cells[index]),
      nowMs,
    )
  }
}
