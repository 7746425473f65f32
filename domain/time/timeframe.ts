/**
 * The table of timeframes: widths of candles, and the stored width that each is read from. Pure.
 *
 * A bucket is named by its first millisecond. Candles are stored in three widths; a timeframe between them merges
 * candles of the widest stored width that divides it, so that a new timeframe is a row of TIMEFRAME_TABLE.
 */
import { ceilDivide } from '../numbers/ceil-divide.ts'
import { bucketOf, DAY_MS, FOUR_HOURS_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from './time-bucket.ts'

/** Stored widths, ascending. Each has a table candle_<name>; a new one is a migration as well. */
const STORED_TABLE = { '1m': MINUTE_MS, '15m': QUARTER_MS, '4h': FOUR_HOURS_MS } as const
export type Table = keyof typeof STORED_TABLE
export const STORED_WIDTHS = Object.keys(STORED_TABLE) as Table[]
/** The stored widths that are merged from the least one. */
export const MERGED_WIDTHS = { quarters: '15m', fours: '4h' } as const satisfies Record<
  string,
  Table
>
export const TABLE_WIDTHS_MS: Readonly<Record<Table, number>> = STORED_TABLE

/** Widths of candles as the interface names them, ascending. */
const TIMEFRAME_TABLE = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': QUARTER_MS,
  '1h': HOUR_MS,
  '4h': FOUR_HOURS_MS,
  '1d': DAY_MS,
} as const
export type Timeframe = keyof typeof TIMEFRAME_TABLE
export const TIMEFRAMES = Object.keys(TIMEFRAME_TABLE) as Timeframe[]
/** Timeframes of /price/history/range, which aggregates a range into one candle. */
export const RESOLUTIONS = ['1m', '5m', '1h', '1d'] as const satisfies readonly Timeframe[]

/** The timeframe whose traders each table counts in addition to those of its own width. A further one is a migration as well. */
const WIDE_TIMEFRAME = { '1m': '5m', '15m': '1h', '4h': '1d' } as const satisfies Record<
  Table,
  Timeframe
>

/** Widths at which the traders of candles are counted, ascending, each divided by the one before: two of each table. */
export const COUNTED_WIDTHS_MS: readonly number[] = STORED_WIDTHS.flatMap((table) => [
  STORED_TABLE[table],
  TIMEFRAME_TABLE[WIDE_TIMEFRAME[table]],
])

const TABLES: ReadonlyMap<Timeframe, Table> = new Map(
  TIMEFRAMES.map((timeframe) => [timeframe, widestTable(TIMEFRAME_TABLE[timeframe])]),
)

function widestTable(widthMs: number): Table {
  const found = STORED_WIDTHS.findLast((table) => widthMs % STORED_TABLE[table] === 0)
  if (found === undefined) throw new RangeError(`no stored candles divide ${widthMs} ms`)
  return found
}

export function widthOf(timeframe: Timeframe): number {
  return TIMEFRAME_TABLE[timeframe]
}

/** The widest stored table whose candles merge into the timeframe's. */
export function tableOf(timeframe: Timeframe): Table {
  return TABLES.get(timeframe)!
}

/** Buckets of a table, first and last inclusive. */
export type Stretch = { table: Table; first: number; last: number }

/**
 * A range of whole minutes as the fewest stored candles: the widest in the middle, narrower ones at both
 * ends. `from` and `to` are the first bucket of the range and the first after it.
 */
export function stretchesOf(from: number, to: number): Stretch[] {
  return cut(from, to, STORED_WIDTHS.toReversed())
}

function cut(from: number, to: number, [table, ...narrower]: readonly Table[]): Stretch[] {
  if (table === undefined || from >= to) return []
  const width = TABLE_WIDTHS_MS[table]
  const first = -bucketOf(-from, width)
  const end = bucketOf(to, width)
  if (first >= end) return cut(from, to, narrower)
  return [
    ...cut(from, first, narrower),
    { table, first, last: end - width },
    ...cut(end, to, narrower),
  ]
}

/** How many buckets a range of milliseconds, both ends included, may touch by the interface's count. */
export function candleCount(from: number, to: number, widthMs: number): bigint {
  return ceilDivide(BigInt(to) - BigInt(from) + 1n, BigInt(widthMs))
}
