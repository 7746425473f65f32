/** First minutes of wallets against counts by sets, and changes against the counts of another set of swaps. */
import test from 'ava'
import fc from 'fast-check'
import {
  addFirsts,
  type CandlesOfWidths,
  correctionOf,
  firstChanges,
  sorted,
  TraderFold,
} from '../../../../domain/market/candle/traders.ts'

const MINUTE_MS = 60_000
/** The three lists: the width of their candles, and the wider one that they count as well; minutes. */
const LISTS = [
  ['minutes', 1, 5],
  ['quarters', 15, 60],
  ['fours', 240, 1_440],
] as const

/** Near each other, and over three days. */
const minute = fc.oneof(fc.nat(20), fc.nat(300), fc.integer({ min: 1_400, max: 4_000 }))
const trades = fc.array(fc.record({ wallet: fc.nat(4), minute }), { maxLength: 60 })
type Trade = { wallet: number; minute: number }

const none = (): CandlesOfWidths => ({
  state: { poolId: 7 },
  minutes: [],
  quarters: [],
  fours: [],
})

/** Counts of each candle, by `list bucket`. */
function naive(all: readonly Trade[]): Map<string, string> {
  const counts = new Map<string, string>()
  for (const [list, width, wide] of LISTS) {
    for (const bucket of new Set(all.map((each) => each.minute - (each.minute % width)))) {
      const own = all.filter((each) => each.minute - (each.minute % width) === bucket)
      const from = bucket - (bucket % wide)
      const before = all.filter((each) => each.minute >= from && each.minute < bucket)
      const wallets = new Set(own.map(({ wallet }) => wallet))
      const first = wallets.difference(new Set(before.map(({ wallet }) => wallet)))
      counts.set(`${list} ${bucket * MINUTE_MS}`, `${wallets.size} ${first.size}`)
    }
  }
  return counts
}

/** Candles with a trader: one without a trade left is deleted elsewhere. */
function counted(candles: CandlesOfWidths): Map<string, string> {
  const counts = new Map<string, string>()
  for (const [list] of LISTS) {
    for (const { bucketMs, traderCount, wideTraderCount } of candles[list]) {
      if (traderCount === 0 && wideTraderCount === 0) continue
      counts.set(`${list} ${bucketMs}`, `${traderCount} ${wideTraderCount}`)
    }
  }
  return counts
}

const byKey = (counts: Map<string, string>) => [...counts].sort()

const minutesOf = (all: readonly Trade[], wallet: number): number[] =>
  sorted(new Set(all.filter((each) => each.wallet === wallet).map((each) => each.minute)))

test('swaps in any order are counted as sets of wallets would be', (t) => {
  fc.assert(
    fc.property(trades, (all) => {
      const fold = new TraderFold()
      for (const each of all) fold.add(`${each.wallet}`, each.minute * MINUTE_MS + 59_999)
      const candles = none()
      fold.countIn(candles)
      t.deepEqual(byKey(counted(candles)), byKey(naive(all)))
      for (const [list] of LISTS) {
        const buckets = candles[list].map(({ bucketMs }) => bucketMs)
        t.deepEqual(buckets, sorted(buckets))
      }
    }),
    { numRuns: 400 },
  )
})

test('changes turn the counts of one set of swaps into those of another, late or taken away', (t) => {
  fc.assert(
    fc.property(trades, trades, (before, after) => {
      const candles = none()
      for (const wallet of [0, 1, 2, 3, 4]) {
        addFirsts(candles, firstChanges([], minutesOf(before, wallet)))
        addFirsts(candles, firstChanges(minutesOf(before, wallet), minutesOf(after, wallet)))
      }
      t.deepEqual(byKey(counted(candles)), byKey(naive(after)))
    }),
    { numRuns: 400 },
  )
})

test('an earlier minute takes over the buckets in which the later one was the first', (t) => {
  // 00:07 and 00:09 are in one bucket of five minutes, 00:20 only in the same hour.
  t.deepEqual(firstChanges([9, 20], [7, 9, 20]), [
    { minute: 7, before: 0, after: 6 },
    { minute: 9, before: 6, after: 1 },
  ])
  t.deepEqual(firstChanges([7, 9, 20], [7, 9]), [{ minute: 20, before: 3, after: 0 }])
  t.deepEqual(firstChanges([1_439], [1_439, 1_440]), [{ minute: 1_440, before: 0, after: 6 }])
})

test('an unknown count stays unknown', (t) => {
  const candles = none()
  candles.minutes.push({ ...correctionOf(7, 9 * MINUTE_MS), traderCount: null })
  addFirsts(candles, firstChanges([], [9]))
  t.like(candles.minutes, [{ traderCount: null, wideTraderCount: 1 }])
})
