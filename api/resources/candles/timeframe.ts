/**
 * Timeframes, the tables that they are read from, and what a range of time means in buckets: pure.
 *
 * A bucket is named by its first millisecond. Those between the stored widths are merges of the next
 * narrower one.
 */
import { bucketOf } from '../../../domain/time/time-bucket.ts'

export const TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '1d'] as const
export type Timeframe = (typeof TIMEFRAMES)[number]
/** Widths of which candles are stored; the others are merged from these. */
export const STORED_WIDTHS = ['1m', '15m', '4h'] as const
export type Table = (typeof STORED_WIDTHS)[number]

export const TABLE_WIDTHS_MS: Readonly<Record<Table, number>> = {
  '1m': 60_000,
  '15m': 900_000,
  '4h': 14_400_000,
}

const WIDTHS_MS: Readonly<Record<Timeframe, number>> = {
  ...TABLE_WIDTHS_MS,
  '5m': 300_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
}
const TABLES: Readonly<Record<Timeframe, Table>> = {
  '1m': '1m',
  '5m': '1m',
  '15m': '15m',
  '1h': '15m',
  '4h': '4h',
  '1d': '4h',
}

export function widthOf(timeframe: Timeframe): number {
  return WIDTHS_MS[timeframe]
}

/** The widest stored table whose candles merge into the timeframe's. */
export function tableOf(timeframe: Timeframe): Table {
  return TABLES[timeframe]
}

/** Buckets of a table, first and last inclusive. */
export type Stretch = { table: Table; first: number; last: number }

/**
 * A range of whole minutes as the fewest stored candles: the widest in the middle, narrower ones at both
 * ends. `from` and `to` are the first buckets of the range and of what follows it.
 */
export function stretchesOf(from: number, to: number): Stretch[] {
  return cut(from, to, ['4h', '15m', '1m'])
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
  const width = BigInt(widthMs)
  return (BigInt(to) - BigInt(from) + 1n + width - 1n) / width
}
