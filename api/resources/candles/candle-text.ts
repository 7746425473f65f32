/**
 * Writes candles as JSON directly from the texts of their columns. Pure.
 *
 * The output is byte-identical to that of the schema's writer. PostgreSQL and JavaScript both print the shortest
 * digits that identify a double, of several the nearest, of two the even; they differ only where a rounding bound
 * is itself that short, from 2^52 on. Their layouts differ: an unusual one is converted through a number.
 * 15 digits of lamports survive a double, so that moving the decimal point divides them exactly.
 */
import { lamportsToSol } from '../../../domain/amount.ts'
import type { Timeframe } from '../../../domain/time/timeframe.ts'
import {
  BUCKET,
  BUYS,
  CandleLines,
  CLOSE,
  COUNT,
  HIGH,
  LOW,
  OPEN,
  type Page,
  TRADERS,
  UNITS,
  VOLUME,
} from './candle-lines.ts'

export type FilledRange = {
  /** First and last bucket. */
  first: number
  last: number
  widthMs: number
  /** The close before the first bucket; undefined where there is none. */
  carried: number | undefined
}

/** The pool of candles, and why it is that one. */
export type CandlePool = {
  pair_address: string
  token_address: string
  chosen_by: 'pair_address' | 'range_volume' | 'top_pool'
  /** Unix ms. */
  since: number | null
}

/** With `filled`, a bucket without a price has the close before it; those before the first price are left out. */
export type ListedCandles = {
  /** Null: there is none, and no candles. */
  pool: CandlePool | null
  pages: readonly Page[]
  filled?: FilledRange
}

const BEGIN = '{"success":true,"data":['
const END = ']'
/**
 * Upper bound for a candle and the closing text: names and punctuation take 236, two addresses 88, five counts 100, two
 * sums 80 and five doubles 125 bytes.
 */
const CANDLE_BYTES_MAX = 640

const pieceOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const TIMESTAMP_PIECE = pieceOf('{"timestamp":')
const PRICES: readonly (readonly [Uint8Array, number])[] = [
  [pieceOf(',"open":'), OPEN],
  [pieceOf(',"high":'), HIGH],
  [pieceOf(',"low":'), LOW],
  [pieceOf(',"close":'), CLOSE],
]
const VOLUME_PIECE = pieceOf(',"volume_sol":')
const UNITS_PIECE = pieceOf(',"volume_token":')
const LAMPORTS_PIECE = pieceOf(',"volume_lamports":')
const COUNT_PIECE = pieceOf(',"trade_count":')
const BUYS_PIECE = pieceOf(',"buy_count":')
const SELLS_PIECE = pieceOf(',"sell_count":')
const TRADERS_PIECE = pieceOf(',"unique_traders":')
const NULL_PIECE = pieceOf('null')
const NO_TRADES =
  ',"volume_sol":0,"volume_token":0,"volume_lamports":0,"trade_count":0,"buy_count":0,"sell_count":0,' +
  '"unique_traders":0}'

const [ZERO, NINE, POINT, MINUS, E, COMMA, CLOSING] = Array.from('09.-e,}', (letter) =>
  letter.charCodeAt(0),
) as [number, number, number, number, number, number, number]

/** JavaScript prints up to 1e-6 without an exponent. */
const SMALL_EXPONENT_MAX = 6
const DECIMALS_OF_SOL = 9
/** Digits of lamports: up to 15 are exact in a double, and 4 are 1e-6 SOL. */
const EXACT_DIGITS = 15
const PLAIN_DIGITS = 4

export function writeCandles(
  { pool, pages, filled }: ListedCandles,
  timeframe: Timeframe,
): string[] {
  const text = new CandleText(pool, timeframe)
  const lines = new CandleLines(pages)
  text.put(BEGIN)
  if (filled === undefined) while (lines.next()) text.putCandle(lines)
  else putFilled(text, lines, filled)
  return [...text.end(), `,"pool":${JSON.stringify(pool)}}`]
}

function putFilled(text: CandleText, lines: CandleLines, filled: FilledRange): void {
  const { first, last, widthMs, carried } = filled
  let close = carried === undefined ? undefined : JSON.stringify(carried)
  let isThere = lines.next()
  for (let bucketMs = first; bucketMs <= last; bucketMs += widthMs) {
    const isOwn = isThere && Number(lines.textOf(BUCKET)) === bucketMs
    if (isOwn && lines.isPriced) {
      text.putCandle(lines)
      close = text.lastClose()
    } else if (close !== undefined) {
      text.putHole(bucketMs, close, isOwn ? lines : undefined)
    }
    if (isOwn) isThere = lines.next()
  }
}

/** Where a part is put together: one at a time, as nothing is waited for. */
const room = Buffer.allocUnsafe(64 * 1024)

/** In parts that are small enough to be young: a text of a megabyte is memory that is mapped for it only. */
class CandleText {
  private readonly parts: string[] = []
  private at = 0
  private isFirst = true
  private closeFrom = 0
  private closeTo = 0
  /** The same in each candle: its pool and width. */
  private readonly names: Uint8Array

  constructor(pool: CandlePool | null, timeframe: Timeframe) {
    const { pair_address = '', token_address = '' } = pool ?? {}
    const addresses = `,"pair_address":"${pair_address}","token_address":"${token_address}"`
    this.names = pieceOf(`${addresses},"timeframe":"${timeframe}"`)
  }

  put(text: string): void {
    this.at += room.write(text, this.at, 'latin1')
  }

  putCandle(lines: CandleLines): void {
    const { text } = lines
    this.begin()
    this.copy(text, lines.from(BUCKET), lines.to(BUCKET))
    this.piece(this.names)
    for (const [piece, column] of PRICES) {
      this.piece(piece)
      this.closeFrom = this.at
      this.price(text, lines.from(column), lines.to(column))
    }
    this.closeTo = this.at
    this.putTraded(lines)
  }

  /** A bucket without a price; `lines` is at its line if it has trades nevertheless. */
  putHole(bucketMs: number, close: string, lines: CandleLines | undefined): void {
    this.begin()
    this.put(String(bucketMs))
    this.piece(this.names)
    for (const [piece] of PRICES) {
      this.piece(piece)
      this.put(close)
    }
    if (lines === undefined) this.put(NO_TRADES)
    else this.putTraded(lines)
  }

  /** Close of the candle that was written last. */
  lastClose(): string {
    return room.toString('latin1', this.closeFrom, this.closeTo)
  }

  end(): string[] {
    this.put(END)
    this.endPart()
    return this.parts
  }

  private begin(): void {
    if (this.at > room.length - CANDLE_BYTES_MAX) this.endPart()
    if (!this.isFirst) room[this.at++] = COMMA
    this.isFirst = false
    this.piece(TIMESTAMP_PIECE)
  }

  private endPart(): void {
    // Writes past the end of a buffer are dropped silently.
    if (this.at > room.length) throw new RangeError(`${this.at} bytes of ${room.length}`)
    this.parts.push(room.toString('latin1', 0, this.at))
    this.at = 0
  }

  private putTraded(lines: CandleLines): void {
    const { text } = lines
    this.piece(VOLUME_PIECE)
    this.sol(text, lines.from(VOLUME), lines.to(VOLUME))
    this.piece(UNITS_PIECE)
    this.known(lines, UNITS)
    this.piece(LAMPORTS_PIECE)
    this.copy(text, lines.from(VOLUME), lines.to(VOLUME))
    this.piece(COUNT_PIECE)
    this.copy(text, lines.from(COUNT), lines.to(COUNT))
    this.piece(BUYS_PIECE)
    this.known(lines, BUYS)
    this.piece(SELLS_PIECE)
    if (lines.isNull(BUYS)) this.piece(NULL_PIECE)
    else this.put(String(lines.countOf(COUNT) - lines.countOf(BUYS)))
    this.piece(TRADERS_PIECE)
    this.known(lines, TRADERS)
    room[this.at++] = CLOSING
  }

  /** An integer, or null. */
  private known(lines: CandleLines, column: number): void {
    if (lines.isNull(column)) this.piece(NULL_PIECE)
    else this.copy(lines.text, lines.from(column), lines.to(column))
  }

  private piece(piece: Uint8Array): void {
    this.copy(piece, 0, piece.length)
  }

  private copy(from: Uint8Array, begin: number, end: number): void {
    let { at } = this
    for (let index = begin; index < end; index++) room[at++] = from[index]!
    this.at = at
  }

  private zeros(count: number): void {
    for (let left = count; left > 0; left--) room[this.at++] = ZERO
  }

  /** A double: `123.45` stays, `1.2e-05` is 0.000012, `1.2e-07` is 1.2e-7. */
  private price(text: Buffer, begin: number, end: number): void {
    const first = text[begin]!
    const point = exponentIndex(text, begin, end)
    const isPlain = first >= ZERO && first <= NINE
    if (isPlain && point === end) this.copy(text, begin, end)
    else if (isPlain && text[point + 1] === MINUS) this.small(text, begin, point, end)
    else this.put(JSON.stringify(Number(text.toString('latin1', begin, end))))
  }

  /** `point`: of the exponent, which is negative and of two digits, or three. */
  private small(text: Buffer, begin: number, point: number, end: number): void {
    const exponent = 10 * (text[point + 2]! - ZERO) + text[point + 3]! - ZERO
    if (exponent > SMALL_EXPONENT_MAX) {
      this.copy(text, begin, point + 2)
      this.copy(text, text[point + 2] === ZERO ? point + 3 : point + 2, end)
      return
    }
    room[this.at++] = ZERO
    room[this.at++] = POINT
    this.zeros(exponent - 1)
    room[this.at++] = text[begin]!
    this.copy(text, begin + 2, point)
  }

  /** Lamports as SOL: the point goes nine digits to the left. */
  private sol(text: Buffer, begin: number, end: number): void {
    const digits = end - begin
    if (digits > EXACT_DIGITS || digits < PLAIN_DIGITS) {
      this.put(JSON.stringify(lamportsToSol(text.toString('latin1', begin, end))))
      return
    }
    const point = end - DECIMALS_OF_SOL
    let last = end
    while (last > point && text[last - 1] === ZERO) last -= 1
    if (point > begin) this.copy(text, begin, point)
    else room[this.at++] = ZERO
    if (last <= point) return
    room[this.at++] = POINT
    this.zeros(begin - point)
    this.copy(text, Math.max(begin, point), last)
  }
}

/** Index of the `e`, which is followed by a sign and two or three digits; the end where there is none. */
function exponentIndex(text: Buffer, begin: number, end: number): number {
  if (end - 4 > begin && text[end - 4] === E) return end - 4
  return end - 5 > begin && text[end - 5] === E ? end - 5 : end
}
