/**
 * Folds the candles of pools afresh, alongside the fold of the pools themselves, and compares them with the stored ones.
 * Memory holds the folded minutes of one pool, and those of its wallets, at a time.
 */

import { isDollarMint } from '../../domain/quote-mint.ts'
import { nounOf } from '../../domain/text/plural.ts'
import { DAY_MINUTES, FOUR_HOURS_MS, QUARTER_MS } from '../../domain/time/time-bucket.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import {
  type Candle,
  DollarFold,
  type DollarMinute,
  MinuteFold,
  mergeCandles,
} from '../pool/candle.ts'
import type { AcceptedSwap, PoolState } from '../pool/pool-state.ts'
import { type CandlesOfWidths, TraderFold } from '../pool/traders.ts'
import { Comparison, type TableReport } from './comparison.ts'

type TableName = 'candle_1m' | 'candle_15m' | 'candle_4h'
type CandleRow = {
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
type TraderRow = { day: number; user_address: string; minutes: string }
type DollarRow = {
  bucket_ms: number
  decimals: number
  volume_lamports: string
  volume_units: string
}
/** Values of a row by key, as text. */
type Texts = readonly (readonly [key: string, text: string])[]
type CountRow = Record<TableName | 'dollar_minute' | 'pool_trader', number>

const listCandles = query<CandleRow>('verify/list_candles')
const listPoolTraders = query<TraderRow>('verify/list_pool_traders')
const listDollarMinutes = query<DollarRow>('verify/list_dollar_minutes')
const countCandles = query<CountRow>('verify/count_candles')

export class CandleVerification {
  private readonly connection: Connection
  private readonly candles = {
    candle_1m: new Comparison('candle_1m'),
    candle_15m: new Comparison('candle_15m'),
    candle_4h: new Comparison('candle_4h'),
  }
  private readonly dollars = new Comparison('dollar_minute')
  private readonly traders = new Comparison('pool_trader')
  private readonly folded: CountRow = {
    candle_1m: 0,
    candle_15m: 0,
    candle_4h: 0,
    dollar_minute: 0,
    pool_trader: 0,
  }
  private minutes = new MinuteFold()
  private dollarMinutes = new DollarFold()
  private traderFold = new TraderFold()

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** The next swap of the pool, in canonical order. */
  add(accepted: AcceptedSwap): void {
    this.minutes.add(accepted)
    this.traderFold.add(accepted.swap.user, accepted.swap.timestamp)
    if (isDollarMint(accepted.swap.tokenAddress)) this.dollarMinutes.add(accepted)
  }

  /** The pool has no more swaps. */
  async endPool(state: PoolState): Promise<void> {
    const name = `${state.pairAddress} ${state.tokenAddress}`
    const minutes = this.minutes.sorted()
    this.minutes = new MinuteFold()
    const quarters = mergeCandles(minutes, QUARTER_MS, 0)
    const fours = mergeCandles(quarters, FOUR_HOURS_MS, 0)
    await this.countTraders(name, { state, minutes, quarters, fours })
    const from = fours[0]?.bucketMs ?? 0
    const to = minutes.at(-1)?.bucketMs ?? 0
    const rows = await listCandles(this.connection, [state.poolId, from, to])
    const compare = (table: TableName, folded: readonly Candle[]) => {
      const own = rows.filter((row) => row.name === table)
      this.folded[table] += folded.length
      this.compare(this.candles[table], name, own.map(textOfRow), folded.map(textOfCandle(table)))
    }
    compare('candle_1m', minutes)
    compare('candle_15m', quarters)
    compare('candle_4h', fours)
    if (isDollarMint(state.tokenAddress)) await this.compareDollars(name, state.poolId)
  }

  /** Before the candles are compared. */
  private async countTraders(name: string, candles: CandlesOfWidths): Promise<void> {
    const fold = this.traderFold
    this.traderFold = new TraderFold()
    fold.countIn(candles)
    const folded = [...fold.traders()].flatMap(({ user, minutes }) =>
      [...Map.groupBy(minutes, (minute) => Math.floor(minute / DAY_MINUTES))].map(
        ([day, own]) =>
          [`${user} ${day}`, own.map((minute) => minute % DAY_MINUTES).join()] as const,
      ),
    )
    this.folded.pool_trader += folded.length
    const rows = await listPoolTraders(this.connection, [candles.state.poolId])
    const stored = rows.map((row) => [`${row.user_address} ${row.day}`, row.minutes] as const)
    this.compare(this.traders, name, stored, folded)
  }

  private async compareDollars(name: string, poolId: number): Promise<void> {
    const folded = this.dollarMinutes.sorted()
    this.dollarMinutes = new DollarFold()
    this.folded.dollar_minute += folded.length
    const rows = await listDollarMinutes(this.connection, [poolId])
    this.compare(this.dollars, name, rows.map(textOfDollarRow), folded.map(textOfDollars))
  }

  private compare(comparison: Comparison, name: string, stored: Texts, folded: Texts): void {
    const left = new Map(stored)
    for (const [key, text] of folded) {
      comparison.row(`${name} ${key}`, left.get(key) ?? 'absent', text)
      left.delete(key)
    }
    for (const [key, text] of left) comparison.row(`${name} ${key}`, text, 'absent')
  }

  /** Rows that no pool accounts for are differences, too. */
  async end(): Promise<TableReport[]> {
    const [counted] = await countCandles(this.connection)
    const tables = { ...this.candles, dollar_minute: this.dollars, pool_trader: this.traders }
    for (const [name, comparison] of Object.entries(tables) as [keyof CountRow, Comparison][]) {
      const rows = counted?.[name] ?? 0
      if (rows !== this.folded[name]) {
        comparison.differ(`${rows} ${nounOf(rows, 'row')}, the swaps make ${this.folded[name]}`)
      }
    }
    return Object.values(tables).map((comparison) => comparison.report())
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
