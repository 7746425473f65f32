/**
 * Folds the candles of pools afresh, alongside the fold of the pools themselves, and compares them with the stored ones.
 * Memory holds the folded minutes of one pool, and those of its wallets, and what is folded of the pools that are compared at once.
 */

import { type Candle, MinuteFold, mergeCandles } from '../../domain/market/candle/candle.ts'
import { type CandlesOfWidths, TraderFold } from '../../domain/market/candle/traders.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import { isDollarMint } from '../../domain/quote-mint.ts'
import { nounOf } from '../../domain/text/plural.ts'
import { DAY_MINUTES, DAY_MS, FOUR_HOURS_MS, QUARTER_MS } from '../../domain/time/time-bucket.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { DollarFold, type DollarMinute } from '../pool/candle.ts'
import type { AcceptedSwap, PoolState } from '../pool/pool-state.ts'
import { Comparison, type TableReport } from './comparison.ts'

type TableName = 'candle_1m' | 'candle_15m' | 'candle_4h'
type CandleRow = {
  pool_id: number
  name: TableName
  bucket_ms: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  /** Present for minutes only. */
  first_slot: number | null
  last_slot: number | null
  volume_lamports: string
  /** Null, as is buy_count, in a candle that was stored before they were counted. */
  volume_units: string | null
  trade_count: number
  buy_count: number | null
  trader_count: number | null
  wide_trader_count: number | null
}
type TraderRow = { pool_id: number; day: number; user_address: string; minutes: string }
type DollarRow = {
  pool_id: number
  bucket_ms: number
  decimals: number
  volume_lamports: string
  volume_units: string
}
/** Values of a row by key, as text. */
type Texts = readonly (readonly [key: string, text: string])[]
type CountRow = Record<TableName | 'dollar_minute' | 'pool_trader', number>
/** Candles, traders and dollar minutes of a pool by its swaps. */
type FoldedPool = CandlesOfWidths & { name: string; traders: Texts; dollars: Texts | undefined }
/** The whole day whose candles are compared, first and last Unix ms. */
export type DayTimes = { readonly fromMs: number; readonly toMs: number }

const listCandles = query<CandleRow>('verify/list_candles')
const listPoolTraders = query<TraderRow>('verify/list_pool_traders')
const listDollarMinutes = query<DollarRow>('verify/list_dollar_minutes')
const countCandles = query<CountRow>('verify/count_candles')
const countCandlesOfDay = query<CountRow>('verify/count_day_candles')

const TABLE_NAMES: readonly TableName[] = ['candle_1m', 'candle_15m', 'candle_4h']
const INT4 = { min: -(2 ** 31), max: 2 ** 31 - 1 }

export class CandleVerification {
  private readonly connection: Connection
  private readonly day: DayTimes | undefined
  private folded: FoldedPool[] = []
  private readonly comparisons: Readonly<Record<keyof CountRow, Comparison>> = {
    candle_1m: new Comparison('candle_1m'),
    candle_15m: new Comparison('candle_15m'),
    candle_4h: new Comparison('candle_4h'),
    dollar_minute: new Comparison('dollar_minute'),
    pool_trader: new Comparison('pool_trader'),
  }
  private readonly counts: CountRow = {
    candle_1m: 0,
    candle_15m: 0,
    candle_4h: 0,
    dollar_minute: 0,
    pool_trader: 0,
  }
  private minutes = new MinuteFold()
  private dollarMinutes = new DollarFold()
  private traderFold = new TraderFold()

  /** `day`: absent for candles of all times. */
  constructor(connection: Connection, day?: DayTimes) {
    this.connection = connection
    this.day = day
  }

  /** The next swap of the pool, in canonical order. */
  add(accepted: AcceptedSwap): void {
    this.minutes.add(accepted)
    this.traderFold.add(accepted.swap.user, accepted.swap.timestamp)
    if (isDollarMint(accepted.swap.tokenAddress)) this.dollarMinutes.add(accepted)
  }

  /** The pool has no more swaps. */
  endPool(state: PoolState): void {
    const minutes = this.minutes.sorted()
    this.minutes = new MinuteFold()
    const quarters = mergeCandles(minutes, QUARTER_MS, 0)
    const candles = { state, minutes, quarters, fours: mergeCandles(quarters, FOUR_HOURS_MS, 0) }
    const traders = this.countTraders(candles)
    const isDollar = isDollarMint(state.tokenAddress)
    const dollars = isDollar ? this.dollarMinutes.sorted().map(textOfDollars) : undefined
    if (isDollar) this.dollarMinutes = new DollarFold()
    const name = `${state.pairAddress} ${state.tokenAddress}`
    this.folded.push({ ...candles, name, traders, dollars })
  }

  private countTraders(candles: CandlesOfWidths): Texts {
    const fold = this.traderFold
    this.traderFold = new TraderFold()
    fold.countIn(candles)
    return [...fold.traders()].flatMap(({ user, minutes }) =>
      [...Map.groupBy(minutes, (minute) => Math.floor(minute / DAY_MINUTES))].map(
        ([day, own]) =>
          [`${user} ${day}`, own.map((minute) => minute % DAY_MINUTES).join()] as const,
      ),
    )
  }

  /** Reads the stored rows of the pools that were ended since the last call, and compares. */
  async comparePools(): Promise<void> {
    const pools = this.folded
    if (pools.length === 0) return
    this.folded = []
    const ids = pools.map(({ state }) => state.poolId)
    const { fromMs, toMs } = this.day ?? timesOf(pools)
    const days = this.day === undefined ? [INT4.min, INT4.max] : [fromMs / DAY_MS, fromMs / DAY_MS]
    const candles = byPool(await listCandles(this.connection, [ids, fromMs, toMs]))
    const traders = byPool(await listPoolTraders(this.connection, [ids, ...days]))
    const dollars = await this.storedDollars(pools)
    for (const pool of pools) {
      const { poolId } = pool.state
      const stored = Map.groupBy(candles.get(poolId) ?? [], ({ name }) => name)
      const made = { candle_1m: pool.minutes, candle_15m: pool.quarters, candle_4h: pool.fours }
      for (const table of TABLE_NAMES) {
        const rows = (stored.get(table) ?? []).map(textOfRow)
        this.compare(table, pool.name, { rows, made: made[table].map(textOfCandle(table)) })
      }
      const minutes = (traders.get(poolId) ?? []).map(
        (row) => [`${row.user_address} ${row.day}`, row.minutes] as const,
      )
      this.compare('pool_trader', pool.name, { rows: minutes, made: pool.traders })
      if (pool.dollars === undefined) continue
      const rows = (dollars.get(poolId) ?? []).map(textOfDollarRow)
      this.compare('dollar_minute', pool.name, { rows, made: pool.dollars })
    }
  }

  private async storedDollars(pools: readonly FoldedPool[]): Promise<Map<number, DollarRow[]>> {
    const ids = pools.flatMap(({ state, dollars }) => (dollars === undefined ? [] : [state.poolId]))
    if (ids.length === 0) return new Map()
    const { fromMs, toMs } = this.day ?? { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
    return byPool(await listDollarMinutes(this.connection, [ids, fromMs, toMs]))
  }

  private compare(
    table: keyof CountRow,
    name: string,
    { rows, made }: { rows: Texts; made: Texts },
  ): void {
    const comparison = this.comparisons[table]
    this.counts[table] += made.length
    const left = new Map(rows)
    for (const [key, text] of made) {
      comparison.row(`${name} ${key}`, left.get(key) ?? 'absent', text, name)
      left.delete(key)
    }
    for (const [key, text] of left) comparison.row(`${name} ${key}`, text, 'absent', name)
  }

  /** Rows that no pool accounts for are differences, too. `areAllFolded`: no pool was left out, so that the numbers of rows are compared. */
  async end(areAllFolded = true): Promise<TableReport[]> {
    const { connection, day } = this
    const [counted] = await (day === undefined
      ? countCandles(connection)
      : countCandlesOfDay(connection, [day.fromMs, day.toMs, day.fromMs / DAY_MS]))
    for (const [name, comparison] of Object.entries(this.comparisons)) {
      const [rows, made] = [counted?.[name as TableName] ?? 0, this.counts[name as TableName]]
      if (!areAllFolded || rows === made) continue
      comparison.differ(`${rows} ${nounOf(rows, 'row')}, the swaps make ${made}`)
    }
    return Object.values(this.comparisons).map((comparison) => comparison.report())
  }
}

function byPool<Row extends { pool_id: number }>(rows: readonly Row[]): Map<number, Row[]> {
  return Map.groupBy(rows, (row) => row.pool_id)
}

/** First and last bucket of the candles of pools. */
function timesOf(pools: readonly FoldedPool[]): DayTimes {
  const traded = pools.filter(({ minutes }) => minutes.length > 0)
  if (traded.length === 0) return { fromMs: 0, toMs: -1 }
  return {
    fromMs: leastOf(traded.map(({ fours }) => fours[0]!.bucketMs)),
    toMs: greatestOf(traded.map(({ minutes }) => minutes.at(-1)!.bucketMs)),
  }
}

function textOfRow(row: CandleRow): readonly [string, string] {
  const { open, high, low, close, first_slot, last_slot } = row
  const ends = [open, high, low, close, first_slot, last_slot]
  const sums = [row.volume_lamports, row.volume_units, row.trade_count, row.buy_count]
  const traders = [row.trader_count, row.wide_trader_count]
  return [`${row.bucket_ms}`, [...ends, ...sums, ...traders].join()]
}

const textOfCandle =
  (table: TableName) =>
  (candle: Candle): readonly [string, string] => {
    const { open, high, low, close, firstSlot, lastSlot } = candle
    const slots = table === 'candle_1m' ? [firstSlot, lastSlot] : [null, null]
    const sums = [candle.volumeLamports, candle.volumeUnits, candle.tradeCount, candle.buyCount]
    const traders = [candle.traderCount, candle.wideTraderCount]
    return [`${candle.bucketMs}`, [open, high, low, close, ...slots, ...sums, ...traders].join()]
  }

function textOfDollarRow(row: DollarRow): readonly [string, string] {
  return [`${row.bucket_ms} ${row.decimals}`, `${row.volume_lamports} ${row.volume_units}`]
}

function textOfDollars(minute: DollarMinute): readonly [string, string] {
  return [`${minute.bucketMs} ${minute.decimals}`, `${minute.lamports} ${minute.units}`]
}
