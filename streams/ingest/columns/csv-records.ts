/**
 * Records of CSV (RFC 4180) from lines: a quoted cell may hold delimiters, doubled quotes and line feeds. Pure.
 *
 * Laws: a record has the number of the line on which it begins. A broken record costs itself only: where a quote is not
 * closed, its first line is refused and the lines after it are read again as their own. Memory is bounded by
 * RECORD_LINES_MAX lines of one record.
 */
import type { Line } from '../reading/ndjson.ts'

export type CsvRecord = { number: number; text: string } & (
  | { cells: string[] }
  /** Why the record cannot be read. */
  | { error: string }
)

/** More lines in one cell are a quote that was never closed. */
const RECORD_LINES_MAX = 1_000
const QUOTE = '"'
const UNCLOSED = 'expected the quoted cell to be closed'
const AFTER_QUOTE =
  'expected the delimiter after a closing quote (a quote in a quoted cell is doubled)'
/** A number cut off is another number, so a last line without its line feed proves nothing. */
const UNENDED = 'the last line has no line feed: is it truncated? End it with one if it is whole'

/** Lines in, records out; holds the lines of a record that is not finished yet. */
export class CsvRecords {
  readonly #delimiter: string
  readonly #held: Line[] = []
  /** Text of the held lines. */
  #text = ''

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  add(lines: readonly Line[]): CsvRecord[] {
    const records: CsvRecord[] = []
    for (const line of lines) this.#next(line, records)
    return records
  }

  /** The number of lines before a record that is not finished; undefined where none is. */
  firstHeld(): number | undefined {
    const [first] = this.#held
    return first === undefined ? undefined : first.number - 1
  }

  /** Refuses what the end of the input leaves unfinished. */
  end(): CsvRecord[] {
    const records: CsvRecord[] = []
    while (this.#held.length > 0) this.#giveUp(UNCLOSED, records)
    return records
  }

  #next(line: Line, records: CsvRecord[]): void {
    const isFirst = this.#held.length === 0
    if (line.error !== undefined || line.isUnended) {
      while (this.#held.length > 0) this.#giveUp(UNCLOSED, records)
      if (line.text.trim() === '') return
      records.push({ number: line.number, text: line.text, error: line.error ?? UNENDED })
      return
    }
    if (isFirst && line.text.trim() === '') return
    this.#held.push(line)
    this.#text = isFirst ? line.text : `${this.#text}\n${line.text}`
    // Without a quote the line closes no cell.
    if (!isFirst && !line.text.includes(QUOTE)) {
      if (this.#held.length > RECORD_LINES_MAX) this.#giveUp(UNCLOSED, records)
      return
    }
    const cells = splitCells(this.#text, this.#delimiter)
    if (typeof cells !== 'string') {
      records.push({
        number: this.#held[0]?.number ?? line.number,
        text: withoutReturn(this.#text),
        cells,
      })
      this.#held.length = 0
    } else if (cells === AFTER_QUOTE || this.#held.length > RECORD_LINES_MAX) {
      this.#giveUp(cells, records)
    }
  }

  /** Refuses the first held line; the others are read again. */
  #giveUp(error: string, records: CsvRecord[]): void {
    const [first, ...others] = this.#held
    this.#held.length = 0
    if (first !== undefined)
      records.push({ number: first.number, text: withoutReturn(first.text), error })
    for (const line of others) this.#next(line, records)
  }
}

const withoutReturn = (text: string): string => text.replace(/\r$/, '')

/** The cells of a record, without its carriage return at the end; UNCLOSED or AFTER_QUOTE where it is none. */
function splitCells(record: string, delimiter: string): string[] | string {
  const end = record.endsWith('\r') ? record.length - 1 : record.length
  if (!record.includes(QUOTE)) return record.slice(0, end).split(delimiter)
  const cells: string[] = []
  for (let at = 0; ; at++) {
    if (record[at] === QUOTE) {
      const close = closingQuote(record, at + 1)
      if (close < 0) return UNCLOSED
      cells.push(record.slice(at + 1, close).replaceAll('""', QUOTE))
      at = close + 1
      if (at < end && record[at] !== delimiter) return AFTER_QUOTE
    } else {
      const found = record.indexOf(delimiter, at)
      const stop = found < 0 ? end : found
      cells.push(record.slice(at, stop))
      at = stop
    }
    if (at >= end) return cells
  }
}

function closingQuote(record: string, from: number): number {
  for (let at = record.indexOf(QUOTE, from); at >= 0; at = record.indexOf(QUOTE, at + 2)) {
    if (record[at + 1] !== QUOTE) return at
  }
  return -1
}
