/**
 * Folds new swaps into their pool's candles. Pure.
 *
 * Laws: within a minute open and close go by canonical order; a wider candle is the merge of its minutes.
 * A batch's candles are merged into the stored ones (statement pool/merge_sums): high, low, volumes, counts and
 * slots are right in any order. Open and close are right, too, when the stored swaps of the bucket all precede the
 * batch's; where that is not certain (`isUnsure`) they are read again.
 *
 * Decision: docs/decisions/0019-candles-are-rows-merged-on-commit.md
 */
import type { Int64 } from '../../domain/amount.ts'
import { isDollarMint } from '../../domain/quote-mint.ts'
import { bucketOf, FOUR_HOURS_MS, MINUTE_MS, QUARTER_MS } from '../../domain/time/time-bucket.ts'
import type { AcceptedSwap, PoolState } from './pool-state.ts'

/** A candle, or a change to merge into a stored one. Prices: SOL per whole token. */
export type Candle = {
  poolId: number
  /** First Unix ms of the bucket. */
  bucketMs: number
  /** Null, as are the other three, without a priced trade. */
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  /** May pass int64. */
  volumeLamports: number | bigint
  /** Base units of the token; may pass int64. */
  volumeUnits: number | bigint
  tradeCount: number
  buyCount: number
  /** Wallets that traded; null: unknown, where a version stored the candle that did not count them. */
  traderCount: number | null
  /** Wallets whose first minute in the bucket of the next counted width lies in this candle. */
  wideTraderCount: number | null
  firstSlot: number
  lastSlot: number
  isUnsure: boolean
}

export type PoolCandles = {
  state: PoolState
  /** Each in the order of time. */
  minutes: Candle[]
  quarters: Candle[]
  fours: Candle[]
  /** A late swap may be the pool's last priced one. */
  isLastPriceUnsure: boolean
  /** Present for dollar mints only. */
  dollars: DollarMinute[]
}

/**
 * Folds new swaps of one pool, in canonical order. `newestBeforeMs`: the greatest time of a swap of the
 * pool before them.
 */
export function foldCandles(
  state: PoolState,
  newestBeforeMs: number | undefined,
  accepted: readonly AcceptedSwap[],
): PoolCandles {
  const fold = new MinuteFold()
  for (const each of accepted) fold.add(each)
  const minutes = fold.sorted()
  const settledBeforeMs = newestBeforeMs === undefined ? 0 : bucketOf(newestBeforeMs, MINUTE_MS)
  const quarters = mergeCandles(minutes, QUARTER_MS, settledBeforeMs)
  return {
    state,
    minutes,
    quarters,
    fours: mergeCandles(quarters, FOUR_HOURS_MS, 0),
    isLastPriceUnsure: minutes.some(({ isUnsure }) => isUnsure),
    dollars: isDollarMint(state.tokenAddress) ? foldDollars(accepted) : [],
  }
}

function foldDollars(accepted: readonly AcceptedSwap[]): DollarMinute[] {
  const fold = new DollarFold()
  for (const each of accepted) fold.add(each)
  return fold.sorted()
}

/** The minutes of one pool's swaps, which come in canonical order. */
export class MinuteFold {
  private readonly minutes: Candle[] = []
  /** Times mostly rise with canonical order: this table is made when they do not. */
  private byBucket: Map<number, Candle> | undefined
  private current: Candle | undefined

  add(accepted: AcceptedSwap): void {
    const bucketMs = bucketOf(accepted.swap.timestamp, MINUTE_MS)
    if (this.current?.bucketMs !== bucketMs) this.current = this.minuteAt(bucketMs, accepted)
    addSwap(this.current, accepted)
  }

  /** Sorted by time. */
  sorted(): Candle[] {
    return this.byBucket === undefined
      ? this.minutes
      : this.minutes.sort((a, b) => a.bucketMs - b.bucketMs)
  }

  private minuteAt(bucketMs: number, first: AcceptedSwap): Candle {
    const newest = this.minutes[this.minutes.length - 1]
    if (newest !== undefined && bucketMs < newest.bucketMs) {
      this.byBucket ??= new Map(this.minutes.map((each) => [each.bucketMs, each]))
    }
    const known = this.byBucket?.get(bucketMs)
    if (known !== undefined) return known
    const minute = emptyCandle(first.state.poolId, bucketMs, first.swap.slot)
    this.minutes.push(minute)
    this.byBucket?.set(bucketMs, minute)
    return minute
  }
}

export function emptyCandle(poolId: number, bucketMs: number, slot: number): Candle {
  return {
    poolId,
    bucketMs,
    open: null,
    high: null,
    low: null,
    close: null,
    volumeLamports: 0,
    volumeUnits: 0,
    tradeCount: 0,
    buyCount: 0,
    traderCount: 0,
    wideTraderCount: 0,
    firstSlot: slot,
    lastSlot: slot,
    isUnsure: false,
  }
}

function addSwap(candle: Candle, { swap, price, isLate }: AcceptedSwap): void {
  candle.volumeLamports = sum(candle.volumeLamports, swap.solAmount)
  candle.volumeUnits = sum(candle.volumeUnits, swap.tokenAmount)
  candle.tradeCount += 1
  if (swap.isBuy) candle.buyCount += 1
  if (swap.slot < candle.firstSlot) candle.firstSlot = swap.slot
  else if (swap.slot > candle.lastSlot) candle.lastSlot = swap.slot
  if (price === null) return
  candle.open ??= price
  if (candle.high === null || price > candle.high) candle.high = price
  if (candle.low === null || price < candle.low) candle.low = price
  candle.close = price
  candle.isUnsure ||= isLate
}

/**
 * Merges candles of one pool, sorted by time, into wider ones, before their traders are counted (traders.ts). A priced
 * one before `settledBeforeMs` may precede the stored swaps of its bucket.
 */
export function mergeCandles(
  narrow: readonly Candle[],
  widthMs: number,
  settledBeforeMs: number,
): Candle[] {
  const wide: Candle[] = []
  for (const candle of narrow) {
    const bucketMs = bucketOf(candle.bucketMs, widthMs)
    const isUnsure = candle.isUnsure || (candle.close !== null && candle.bucketMs < settledBeforeMs)
    const last = wide[wide.length - 1]
    if (last === undefined || last.bucketMs !== bucketMs) {
      wide.push({ ...candle, bucketMs, isUnsure })
      continue
    }
    last.volumeLamports = sum(last.volumeLamports, candle.volumeLamports)
    last.volumeUnits = sum(last.volumeUnits, candle.volumeUnits)
    last.tradeCount += candle.tradeCount
    last.buyCount += candle.buyCount
    last.isUnsure ||= isUnsure
    if (candle.open === null) continue
    last.open ??= candle.open
    last.high = Math.max(last.high ?? candle.high!, candle.high!)
    last.low = Math.min(last.low ?? candle.low!, candle.low!)
    last.close = candle.close
  }
  return wide
}

/** Priced trades of a minute in one pool of a dollar mint. */
export type DollarMinute = {
  poolId: number
  bucketMs: number
  decimals: number
  lamports: number | bigint
  units: number | bigint
}

/** SOL and tokens of one pool's priced trades by minute: sums, so that no order matters. */
export class DollarFold {
  private readonly minutes = new Map<string, DollarMinute>()

  add({ swap, state, price }: AcceptedSwap): void {
    if (price === null) return
    const bucketMs = bucketOf(swap.timestamp, MINUTE_MS)
    const { quoteDecimals: decimals, solAmount, tokenAmount } = swap
    const key = `${bucketMs} ${decimals}`
    const minute = this.minutes.get(key)
    if (minute === undefined) {
      const { poolId } = state
      this.minutes.set(key, { poolId, bucketMs, decimals, lamports: solAmount, units: tokenAmount })
      return
    }
    minute.lamports = sum(minute.lamports, solAmount)
    minute.units = sum(minute.units, tokenAmount)
  }

  sorted(): DollarMinute[] {
    return [...this.minutes.values()].sort(
      (a, b) => a.bucketMs - b.bucketMs || a.decimals - b.decimals,
    )
  }
}

/** Exact: a number while it is safe. */
export function sum(a: Int64, b: Int64): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const near = a + b
    if (near <= Number.MAX_SAFE_INTEGER) return near
  }
  return BigInt(a) + BigInt(b)
}
