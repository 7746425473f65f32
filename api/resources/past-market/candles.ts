/** Candles of pools as of a slot, from stored minutes before a time and from the swaps of those after it. Pure. */
import { type SwapRow, swapOfRow } from '../../../domain/events/stored-row.ts'
import { compareSwaps, pricedAt } from '../../../domain/events/swap.ts'
import { type Candle, MinuteFold } from '../../../domain/market/candle/candle.ts'
import { type CandlesOfWidths, TraderFold } from '../../../domain/market/candle/traders.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'

export type PastCandle = Candle<null>
/** Candles of all pools, each width by pool and time. */
export type PastCandles = {
  readonly minutes: readonly PastCandle[]
  readonly quarters: readonly PastCandle[]
  readonly fours: readonly PastCandle[]
}
/** Minutes of a day in which a wallet traded in a pool. */
export type TraderRow = { pool_id: number; day: number; user: string; minutes: readonly number[] }

/** Minutes of the swaps of pools, by pool and time. */
export function minutesOf(rows: readonly SwapRow[]): PastCandle[] {
  const pools = Map.groupBy(rows, (row) => row.pool_id)
  return [...pools.keys()]
    .sort((a, b) => a - b)
    .flatMap((poolId) => {
      const fold = new MinuteFold()
      const state = { poolId }
      for (const swap of pools.get(poolId)!.map(swapOfRow).sort(compareSwaps)) {
        fold.add({ state, swap, price: pricedAt(swap), isLate: false })
      }
      return fold.sorted()
    })
}

/** The order of pools, then of time. */
export const byPool = (a: PastCandle, b: PastCandle): number =>
  a.poolId - b.poolId || a.bucketMs - b.bucketMs

/** The same candles with their traders. `traders`: minutes before `stillMs` count; `rows`: swaps from there on. */
export function withTraders(
  candles: PastCandles,
  traders: readonly TraderRow[],
  rows: readonly SwapRow[],
  stillMs: number,
): PastCandles {
  const folds = new Map<number, TraderFold>()
  const add = (poolId: number, user: string, timestampMs: number): void => {
    const fold = folds.get(poolId) ?? new TraderFold()
    folds.set(poolId, fold)
    fold.add(user, timestampMs)
  }
  for (const { pool_id, day, user, minutes } of traders) {
    for (const minute of minutes) {
      const minuteMs = day * DAY_MS + minute * MINUTE_MS
      if (minuteMs < stillMs) add(pool_id, user, minuteMs)
    }
  }
  for (const { pool_id, user_address, timestamp_ms } of rows) {
    if (timestamp_ms >= stillMs) add(pool_id, user_address, timestamp_ms)
  }
  const own = poolsOf(candles)
  for (const pool of own) folds.get(pool.state.poolId)?.countIn(pool)
  const counted = (width: keyof PastCandles): PastCandle[] =>
    // Counting adds corrections of candles that are not among these.
    own.flatMap((pool) => pool[width].filter(({ tradeCount }) => tradeCount > 0))
  return { minutes: counted('minutes'), quarters: counted('quarters'), fours: counted('fours') }
}

/** Candles of each pool, by pool. A pool of the other widths has candles of the greatest one. */
function poolsOf(candles: PastCandles): CandlesOfWidths<null>[] {
  const [minutes, quarters, fours] = [candles.minutes, candles.quarters, candles.fours].map(
    (list) => Map.groupBy(list, ({ poolId }) => poolId),
  )
  return [...fours!].map(([poolId, list]) => ({
    state: { poolId },
    minutes: minutes!.get(poolId) ?? [],
    quarters: quarters!.get(poolId) ?? [],
    fours: list,
  }))
}
