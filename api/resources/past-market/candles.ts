/** Candles of pools as of a slot, from stored minutes before a time and from the swaps of those after it. Pure. */
import { executedPrice } from '../../../domain/amount.ts'
import { type SwapRow, swapOfRow } from '../../../domain/events/stored-row.ts'
import { compareSwaps, type Swap, setsPrice } from '../../../domain/events/swap.ts'
import { bucketOf, DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { COUNTED_WIDTHS_MS } from '../../../domain/time/timeframe.ts'

/** A row of candle_1m; sums are null where a version stored the candle that did not count them. */
export type PastCandle = {
  pool_id: number
  bucket_ms: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  first_slot: number
  last_slot: number
  volume_lamports: bigint
  volume_units: bigint | null
  trade_count: number
  buy_count: number | null
  trader_count: number
  wide_trader_count: number
}
/** Minutes of a day in which a wallet traded in a pool. */
export type TraderRow = { pool_id: number; day: number; user: string; minutes: readonly number[] }

const DAY_MINUTES = DAY_MS / MINUTE_MS

/** Minutes of the swaps of pools, by pool and time. */
export function minutesOf(rows: readonly SwapRow[]): PastCandle[] {
  const minutes = new Map<string, PastCandle>()
  const swaps = rows.map((row) => ({ poolId: row.pool_id, swap: swapOfRow(row) }))
  for (const { poolId, swap } of swaps.sort((a, b) => compareSwaps(a.swap, b.swap))) {
    const bucketMs = bucketOf(swap.timestamp, MINUTE_MS)
    const key = `${poolId} ${bucketMs}`
    const minute = minutes.get(key) ?? emptyMinute(poolId, bucketMs, swap.slot)
    minutes.set(key, minute)
    addSwap(minute, swap)
  }
  return [...minutes.values()].sort(byPool)
}

/** The order of pools, then of time. */
export const byPool = (a: PastCandle, b: PastCandle): number =>
  a.pool_id - b.pool_id || a.bucket_ms - b.bucket_ms

function emptyMinute(poolId: number, bucketMs: number, slot: number): PastCandle {
  return {
    ...{ pool_id: poolId, bucket_ms: bucketMs, first_slot: slot, last_slot: slot },
    ...{ open: null, high: null, low: null, close: null },
    ...{ volume_lamports: 0n, volume_units: 0n, trade_count: 0, buy_count: 0 },
    ...{ trader_count: 0, wide_trader_count: 0 },
  }
}

function addSwap(minute: PastCandle, swap: Swap): void {
  minute.volume_lamports += BigInt(swap.solAmount)
  minute.volume_units = (minute.volume_units ?? 0n) + BigInt(swap.tokenAmount)
  minute.trade_count += 1
  minute.buy_count = (minute.buy_count ?? 0) + Number(swap.isBuy)
  minute.last_slot = Math.max(minute.last_slot, swap.slot)
  if (!setsPrice(swap)) return
  const price = executedPrice(swap.solAmount, swap.tokenAmount, swap.quoteDecimals)
  minute.open ??= price
  minute.high = Math.max(minute.high ?? price, price)
  minute.low = Math.min(minute.low ?? price, price)
  minute.close = price
}

/** Candles of a width, from minutes by pool and time. Traders are not counted. */
export function widerOf(minutes: readonly PastCandle[], widthMs: number): PastCandle[] {
  const wide: PastCandle[] = []
  for (const minute of minutes) {
    const bucketMs = bucketOf(minute.bucket_ms, widthMs)
    const last = wide.at(-1)
    if (last?.pool_id !== minute.pool_id || last.bucket_ms !== bucketMs) {
      wide.push({ ...minute, bucket_ms: bucketMs, trader_count: 0, wide_trader_count: 0 })
      continue
    }
    last.volume_lamports += minute.volume_lamports
    last.volume_units = sumOf(last.volume_units, minute.volume_units)
    last.trade_count += minute.trade_count
    last.buy_count =
      last.buy_count === null || minute.buy_count === null
        ? null
        : last.buy_count + minute.buy_count
    if (minute.open === null) continue
    last.open ??= minute.open
    last.high = Math.max(last.high ?? minute.high!, minute.high!)
    last.low = Math.min(last.low ?? minute.low!, minute.low!)
    last.close = minute.close
  }
  return wide
}

/** A sum that is not known of one of them is not known. */
const sumOf = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || other === null ? null : one + other

/**
 * Counts the traders of candles of each stored width, the least first: in each of them, and of the next counted width those whose
 * first minute there is in it. `traders`: minutes before `stillMs` count; `rows`: swaps from there on.
 */
export function countTraders(
  widths: readonly (readonly PastCandle[])[],
  traders: readonly TraderRow[],
  rows: readonly SwapRow[],
  stillMs: number,
): void {
  const candles = widths.map((list) => new Map(list.map((each) => [keyOf(each), each])))
  for (const [pool, minutes] of minutesOfWallets(traders, rows, stillMs)) {
    for (const [index, minute] of minutes.entries()) {
      const previous = minutes[index - 1]
      const isFirst = (width: number): boolean =>
        previous === undefined || bucketOf(previous, width) !== bucketOf(minute, width)
      for (const [table, list] of candles.entries()) {
        const [own, next] = [COUNTED_WIDTHS_MS[2 * table]!, COUNTED_WIDTHS_MS[2 * table + 1]!]
        const candle = list.get(keyOf({ pool_id: pool, bucket_ms: bucketOf(minute, own) }))
        if (candle === undefined) continue
        candle.trader_count += Number(isFirst(own))
        candle.wide_trader_count += Number(isFirst(next))
      }
    }
  }
}

const keyOf = ({ pool_id, bucket_ms }: { pool_id: number; bucket_ms: number }): string =>
  `${pool_id} ${bucket_ms}`

/** First Unix ms of the minutes of each wallet in a pool, ascending. */
function* minutesOfWallets(
  traders: readonly TraderRow[],
  rows: readonly SwapRow[],
  stillMs: number,
): Generator<[poolId: number, minutes: number[]]> {
  const wallets = new Map<string, { poolId: number; minutes: Set<number> }>()
  const add = (poolId: number, user: string, minuteMs: number): void => {
    const key = `${poolId} ${user}`
    const own = wallets.get(key) ?? { poolId, minutes: new Set() }
    wallets.set(key, own)
    own.minutes.add(minuteMs)
  }
  for (const { pool_id, day, user, minutes } of traders) {
    for (const minute of minutes) {
      const minuteMs = (day * DAY_MINUTES + minute) * MINUTE_MS
      if (minuteMs < stillMs) add(pool_id, user, minuteMs)
    }
  }
  for (const { pool_id, user_address, timestamp_ms } of rows) {
    if (timestamp_ms >= stillMs) add(pool_id, user_address, bucketOf(timestamp_ms, MINUTE_MS))
  }
  for (const { poolId, minutes } of wallets.values()) {
    yield [poolId, [...minutes].sort((a, b) => a - b)]
  }
}
