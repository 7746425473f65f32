/**
 * Counts the distinct traders of candles at every width by sums. Pure.
 *
 * Law: each width divides the next. A wallet is counted in a bucket where its first minute of that bucket lies, so the
 * count of any wider bucket is the sum over its parts, and no set of wallets is merged. Which minutes are first follows
 * from the set of minutes in which the wallet traded in the pool, so the counts are right in any order of arrival, and
 * taking minutes away changes them back.
 *
 * Decision: docs/decisions/0051-traders-of-candles-are-counted-by-first-minutes.md
 */
import { bucketOf, MINUTE_MS } from '../../time/time-bucket.ts'
import { COUNTED_WIDTHS_MS } from '../../time/timeframe.ts'
import { type Candle, emptyCandle } from './candle.ts'

/** Minutes since 1970, ascending. */
export type Minutes = readonly number[]
/** A minute, and at how many widths, from the least one on, it was its wallet's first of the bucket, and is now. */
export type FirstChange = { minute: number; before: number; after: number }

/** A pool's, each width in the order of time. */
export type CandlesOfWidths<Unknown extends null = never> = {
  state: { readonly poolId: number }
  minutes: Candle<Unknown>[]
  quarters: Candle<Unknown>[]
  fours: Candle<Unknown>[]
}

const WIDTHS_MINUTES = COUNTED_WIDTHS_MS.map((width) => width / MINUTE_MS)

/** The changes when the minutes of a wallet in a pool change from one set to another. */
export function firstChanges(before: Minutes, after: Minutes): FirstChange[] {
  const changes: FirstChange[] = []
  let [left, right] = [0, 0]
  while (left < before.length || right < after.length) {
    const minute = Math.min(before[left] ?? Infinity, after[right] ?? Infinity)
    const was = before[left] === minute ? firstWidths(before, left++) : 0
    const is = after[right] === minute ? firstWidths(after, right++) : 0
    if (was !== is) changes.push({ minute, before: was, after: is })
  }
  return changes
}

/** Number of widths, from the smallest on, whose bucket begins with the minute at `index`. */
function firstWidths(minutes: Minutes, index: number): number {
  const previous = minutes[index - 1]
  if (previous === undefined) return WIDTHS_MINUTES.length
  const minute = minutes[index]!
  let count = 1
  while (
    count < WIDTHS_MINUTES.length &&
    bucketOf(previous, WIDTHS_MINUTES[count]!) !== bucketOf(minute, WIDTHS_MINUTES[count]!)
  ) {
    count += 1
  }
  return count
}

/** Adds a wallet's changes to those of its pool. */
export function collectChanges(
  byPool: Map<number, FirstChange[]>,
  poolId: number,
  changes: readonly FirstChange[],
): void {
  const own = byPool.get(poolId)
  if (own === undefined) byPool.set(poolId, [...changes])
  else own.push(...changes)
}

/** Adds changes to the candles of a pool; a candle that is not among them gets a correction. Lists stay sorted. */
export function addFirsts<Unknown extends null = never>(
  candles: CandlesOfWidths<Unknown>,
  changes: readonly FirstChange[],
): void {
  if (changes.length === 0) return
  const { poolId } = candles.state
  const lists = [candles.minutes, candles.quarters, candles.fours]
  for (const [index, list] of lists.entries()) {
    const known = list.length
    let byBucket: Map<number, Candle<Unknown>> | undefined
    let candle = list[known - 1]
    for (const { minute, before, after } of changes) {
      const own = Number(after > 2 * index) - Number(before > 2 * index)
      const wide = Number(after > 2 * index + 1) - Number(before > 2 * index + 1)
      if (own === 0 && wide === 0) continue
      const bucketMs = bucketOf(minute * MINUTE_MS, COUNTED_WIDTHS_MS[2 * index]!)
      // Mostly the newest candle, or that of the change before.
      if (candle?.bucketMs !== bucketMs) {
        byBucket ??= new Map(list.map((each) => [each.bucketMs, each]))
        candle = byBucket.get(bucketMs)
      }
      if (candle === undefined) {
        candle = correctionOf(poolId, bucketMs)
        byBucket?.set(bucketMs, candle)
        list.push(candle)
      }
      candle.traderCount = plus(candle.traderCount, own)
      candle.wideTraderCount = plus(candle.wideTraderCount, wide)
    }
    if (list.length > known) list.sort((a, b) => a.bucketMs - b.bucketMs)
  }
}

/** A count that is unknown stays so. */
const plus = (count: number | null, change: number): number | null =>
  count === null ? null : count + change

/** Changes nothing of a stored candle but its traders: merging takes the least and the greatest of the slots. */
export function correctionOf(poolId: number, bucketMs: number): Candle {
  return { ...emptyCandle(poolId, bucketMs, Number.MAX_SAFE_INTEGER), lastSlot: 0 }
}

/** Minutes of all wallets in one pool, from swaps in any order. */
export class TraderFold {
  readonly #minutes = new Map<string, Set<number>>()

  add(user: string, timestampMs: number): void {
    const minute = Math.floor(timestampMs / MINUTE_MS)
    const minutes = this.#minutes.get(user)
    if (minutes === undefined) this.#minutes.set(user, new Set([minute]))
    else minutes.add(minute)
  }

  *traders(): Generator<{ user: string; minutes: Minutes }> {
    for (const [user, minutes] of this.#minutes) yield { user, minutes: sorted(minutes) }
  }

  /** Adds the counts to candles that have none yet. */
  countIn<Unknown extends null = never>(candles: CandlesOfWidths<Unknown>): void {
    const changes = [...this.traders()].flatMap(({ minutes }) => firstChanges([], minutes))
    addFirsts(candles, changes)
  }
}

export const sorted = (minutes: Iterable<number>): number[] => [...minutes].sort((a, b) => a - b)
