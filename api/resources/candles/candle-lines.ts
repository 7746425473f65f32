/**
 * Candles as the tables have them, and as the database lists them: a line of text each, the newest first. Pure.
 *
 * `bucket volume units count buys traders open high low close`, each as PostgreSQL prints it; `-` stands for a null, and
 * a line without a price ends after its traders.
 */

export type CandleRow = {
  bucket_ms: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume_lamports: string
  /** Null, as is buy_count, where a candle was stored before they were counted. */
  volume_units: string | null
  trade_count: number
  buy_count: number | null
  /** Null also at a width that counts no traders. */
  trader_count: number | null
}
/** Pool and token of the candles. */
export type PoolNames = { pair_address: string; token_address: string }

/** A candle that is served. */
export type PricedRow = CandleRow & Record<'open' | 'high' | 'low' | 'close', number>

export function isPriced(row: CandleRow): row is PricedRow {
  return row.open !== null
}

/** A page has at least one candle. */
export type Page = { candles: number; lines: string }

const NEWLINE = 10
const SPACE = 32
const ZERO = 48
const COLUMNS = 10
const COLUMNS_WITHOUT_PRICE = 6
/** `-`: none of the numbers is negative. */
const NULL = 45

/** One candle a line, in ascending order of time; pages come newest first. */
export class CandleLines {
  /** Bytes of the page being read. */
  text: Buffer = Buffer.alloc(0)
  isPriced = false
  private end = -1
  private page: number
  private readonly pages: readonly Page[]
  /** Ends of the line's columns, its last one's first; then the place before the line. */
  private readonly ends = new Int32Array(COLUMNS + 1)
  private columns = 0

  constructor(pages: readonly Page[]) {
    this.pages = pages
    this.page = pages.length
  }

  /** Throws where a line is none: no candle has but some of its prices. */
  next(): boolean {
    if (this.end < 0) {
      if (this.page === 0) return false
      this.page -= 1
      const { lines } = this.pages[this.page]!
      if (this.text.length < lines.length) this.text = Buffer.allocUnsafe(lines.length)
      this.end = this.text.write(lines, 'latin1')
    }
    const { text, ends } = this
    let at = this.end
    let columns = 0
    ends[0] = at
    for (at -= 1; at >= 0 && text[at] !== NEWLINE; at--) {
      if (text[at] === SPACE) ends[++columns] = at
    }
    ends[++columns] = at
    this.end = at
    this.columns = columns
    this.isPriced = columns === COLUMNS
    if (!this.isPriced && columns !== COLUMNS_WITHOUT_PRICE) {
      throw new TypeError(`a candle of ${columns} columns: expected ${COLUMNS}`)
    }
    return true
  }

  from(column: number): number {
    return this.ends[this.columns - column]! + 1
  }

  to(column: number): number {
    return this.ends[this.columns - column - 1]!
  }

  isNull(column: number): boolean {
    return this.text[this.from(column)] === NULL
  }

  /** A whole number below 2^53. */
  countOf(column: number): number {
    let count = 0
    for (let at = this.from(column); at < this.to(column); at++) {
      count = 10 * count + this.text[at]! - ZERO
    }
    return count
  }

  textOf(column: number): string {
    return this.text.toString('latin1', this.from(column), this.to(column))
  }
}

/** Columns of a line. */
export const BUCKET = 0
export const VOLUME = 1
export const UNITS = 2
export const COUNT = 3
export const BUYS = 4
export const TRADERS = 5
export const OPEN = 6
export const HIGH = 7
export const LOW = 8
export const CLOSE = 9

/** The candles of the pages that have a price, ascending. */
export function pricedRows(pages: readonly Page[]): PricedRow[] {
  const lines = new CandleLines(pages)
  const rows: PricedRow[] = []
  while (lines.next()) if (lines.isPriced) rows.push(rowOf(lines))
  return rows
}

/** The current line, which has a price. */
export function rowOf(lines: CandleLines): PricedRow {
  return {
    bucket_ms: Number(lines.textOf(BUCKET)),
    open: Number(lines.textOf(OPEN)),
    high: Number(lines.textOf(HIGH)),
    low: Number(lines.textOf(LOW)),
    close: Number(lines.textOf(CLOSE)),
    volume_lamports: lines.textOf(VOLUME),
    volume_units: lines.isNull(UNITS) ? null : lines.textOf(UNITS),
    trade_count: lines.countOf(COUNT),
    buy_count: lines.isNull(BUYS) ? null : lines.countOf(BUYS),
    trader_count: lines.isNull(TRADERS) ? null : lines.countOf(TRADERS),
  }
}
