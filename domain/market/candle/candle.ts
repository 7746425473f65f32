/**
 * Folds swaps into candles. Pure.
 *
 * Laws: within a minute open and close go by canonical order; a wider candle is the merge of its minutes.
 *
 * Decision: docs/decisions/0019-candles-are-rows-merged-on-commit.md
 */
import { sum } from '../../amount.ts'
import type { Swap } from '../../events/swap.ts'
import { bucketOf, MINUTE_MS } from '../../time/time-bucket.ts'

/**
 * A candle, or a change to merge into a stored one. Prices: SOL per whole token. `Unknown` is null where a version may have stored the
 * candle that did not sum tokens and buys.
 */
export type Candle<Unknown extends null = never> = {
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
  volumeUnits: number | bigint | Unknown
  tradeCount: number
  buyCount: number | Unknown
  /** Wallets that traded; null: unknown, where a version stored the candle that did not count them. */
  traderCount: number | null
  /** Wallets whose first minute in the bucket of the next counted width lies in this candle. */
  wideTraderCount: number | null
  firstSlot: number
  lastSlot: number
  isUnsure: boolean
}

/** A swap of a pool, as candles count it. `price`: SOL per whole token, null where the swap sets none. */
type PricedSwap = {
  readonly state: { readonly poolId: number }
  readonly swap: Swap
  readonly price: number | null
  readonly isLate: boolean
}

/** The minutes of one pool's swaps, which come in canonical order. */
export class MinuteFold {
  private readonly minutes: Candle[] = []
  /** Times mostly rise with canonical order: this table is made when they do not. */
  private byBucket: Map<number, Candle> | undefined
  private current: Candle | undefined

  add(priced: PricedSwap): void {
    const bucketMs = bucketOf(priced.swap.timestamp, MINUTE_MS)
    if (this.current?.bucketMs !== bucketMs) this.current = this.minuteAt(bucketMs, priced)
    addSwap(this.current, priced)
  }

  /** Sorted by time. */
  sorted(): Candle[] {
    return this.byBucket === undefined
      ? this.minutes
      : this.minutes.sort((a, b) => a.bucketMs - b.bucketMs)
  }

  private minuteAt(bucketMs: number, first: PricedSwap): Candle {
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

function addSwap(candle: Candle, { swap, price, isLate }: PricedSwap): void {
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
 * Merges candles by pool and time into wider ones, before their traders are counted (traders.ts). A priced
 * one before `settledBeforeMs` may precede the stored swaps of its bucket.
 */
export function mergeCandles<Unknown extends null = never>(
  narrow: readonly Candle<Unknown>[],
  widthMs: number,
  settledBeforeMs: number,
): Candle<Unknown>[] {
  const wide: Candle<Unknown>[] = []
  for (const candle of narrow) {
    const bucketMs = bucketOf(candle.bucketMs, widthMs)
    const isUnsure = candle.isUnsure || (candle.close !== null && candle.bucketMs < settledBeforeMs)
    const last = wide[wide.length - 1]
    if (last === undefined || last.poolId !== candle.poolId || last.bucketMs !== bucketMs) {
      wide.push({ ...candle, bucketMs, isUnsure })
      continue
    }
    last.volumeLamports = sum(last.volumeLamports, candle.volumeLamports)
    last.volumeUnits = knownSum(last.volumeUnits, candle.volumeUnits)
    last.tradeCount += candle.tradeCount
    last.buyCount = knownCount(last.buyCount, candle.buyCount)
    last.isUnsure ||= isUnsure
    if (candle.open === null) continue
    last.open ??= candle.open
    last.high = Math.max(last.high ?? candle.high!, candle.high!)
    last.low = Math.min(last.low ?? candle.low!, candle.low!)
    last.close = candle.close
  }
  return wide
}

/** A sum of which a part is unknown is unknown. */
function knownSum<Unknown extends null>(
  a: number | bigint | Unknown,
  b: number | bigint | Unknown,
): number | bigint | Unknown {
  if (typeof a !== 'number' && typeof a !== 'bigint') return a
  if (typeof b !== 'number' && typeof b !== 'bigint') return b
  return sum(a, b)
}

function knownCount<Unknown extends null>(
  a: number | Unknown,
  b: number | Unknown,
): number | Unknown {
  if (typeof a !== 'number') return a
  return typeof b === 'number' ? a + b : b
}
