/** Time series: packed, they equal plain lists after any changes; and their size in memory. */
import test from 'ava'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { netChanges } from '../../../../workers/ranking/holders/holder-positions.ts'
import type { BuyerBuckets, BuyerSlice } from '../../../../workers/ranking/series/buyer-buckets.ts'
import { distinct } from '../../../../workers/ranking/series/distinct-traders.ts'
import type { PoolMinute } from '../../../../workers/ranking/series/pool-minutes.ts'
import { SERIES_MINUTES } from '../../../../workers/ranking/series/token-series.ts'
import { estimateDistinct } from '../../../../workers/ranking/traders.ts'
import { bytesOf } from '../../../support/memory.ts'
import {
  buyerSeries,
  minutesSeries,
  type PlainBucket,
  plainMinutes,
} from '../../../support/ranking/packed-series.ts'

const FROM = 29_700_000
const BEYOND_SAFE = 2n ** 60n

function drawnMinute(prng: Prng, minute: number): PoolMinute {
  const price = () => prng.below(1_000_000) / 7
  const prices = { open: price(), high: price(), low: price(), close: price() }
  const none = { open: null, high: null, low: null, close: null }
  return {
    minute,
    ...(prng.chance(0.2) ? none : prices),
    volume: prng.chance(0.1) ? BEYOND_SAFE + BigInt(prng.below(9)) : prng.below(1_000_000_000),
    trades: 1 + prng.below(prng.chance(0.1) ? 2 ** 26 - 1 : 9),
  }
}

function drawnBucket(prng: Prng, at: number): PlainBucket {
  const count = prng.below(prng.chance(0.1) ? 200 : 6)
  const wallets = [...new Set(Array.from({ length: count }, () => prng.below(500) - 250))]
  return { at, wallets, below: prng.chance(0.1) ? 250 : null }
}

/** Drawn pieces are appended, cut off at the end and trimmed at the front, like a series'. */
function* drawnSteps<Each>(
  prng: Prng,
  keyOf: (each: Each) => number,
  draw: (prng: Prng, key: number) => Each,
): Iterable<{ added: Each | undefined; truncateFrom: number; dropBefore: number; plain: Each[] }> {
  let plain: Each[] = []
  let newest = FROM
  for (let step = 0; step < 1_500; step++) {
    const reach = prng.chance(0.1) ? 600 : 30
    const truncateFrom = prng.chance(0.1) ? newest - prng.below(reach) : Number.POSITIVE_INFINITY
    const dropBefore = prng.chance(0.1) ? newest - 2 * prng.below(600) : 0
    plain = plain.filter((each) => keyOf(each) < truncateFrom && keyOf(each) >= dropBefore)
    newest = 1 + Math.max(newest + prng.below(3), ...plain.map(keyOf).slice(-1))
    const added = prng.chance(0.97) ? draw(prng, newest) : undefined
    if (added !== undefined) plain.push(added)
    yield { added, truncateFrom, dropBefore, plain }
  }
}

test('minutes of a pool are those added and not dropped', (t) => {
  const prng = new Prng([79, 1])
  const packed = minutesSeries([])
  for (const step of drawnSteps(prng, ({ minute }) => minute, drawnMinute)) {
    packed.truncateFrom(step.truncateFrom)
    packed.dropBefore(step.dropBefore)
    if (step.added !== undefined) packed.push(step.added)
    if (prng.chance(0.05)) t.deepEqual(plainMinutes(packed), step.plain)
    const requested = FROM + prng.below(4_000)
    t.is(packed.lowerBound(requested), step.plain.filter(({ minute }) => minute < requested).length)
  }
})

test('buyers of a window are the buyers of its buckets', (t) => {
  const prng = new Prng([79, 2])
  const packed = buyerSeries([])
  for (const step of drawnSteps(prng, ({ at }) => at, drawnBucket)) {
    packed.truncateFrom(step.truncateFrom)
    packed.dropBefore(step.dropBefore)
    if (step.added !== undefined) packed.push(step.added.at, step.added.wallets, step.added.below)
    const newest = step.plain.at(-1)?.at ?? FROM
    const from = newest - prng.below(900)
    const requested = { from, to: from + prng.below(prng.chance(0.5) ? 10 : 900) }
    assertRun(t, packed, requested, step.plain)
    t.is(packed.areExact, !step.plain.some(({ below }) => below !== null))
    const later = step.plain.filter(({ at }) => at >= from)
    t.is(packed.walletsFrom(from), later.flatMap(({ wallets }) => wallets).length)
  }
})

function assertRun(
  t: { deepEqual: (a: unknown, b: unknown) => unknown; is: (a: unknown, b: unknown) => unknown },
  packed: BuyerBuckets,
  { from, to }: { from: number; to: number },
  plain: readonly PlainBucket[],
): void {
  const run = packed.sliceOf(from, to)
  const own = plain.filter(({ at }) => at >= from && at < to)
  const bounds = own.flatMap(({ below }) => below ?? [])
  t.is(run.bucketCount, own.length)
  t.is(run.below, bounds.length === 0 ? undefined : Math.min(...bounds))
  t.deepEqual(
    walletsOf(run),
    own.flatMap(({ wallets }) => wallets),
  )
}

const walletsOf = ({ cells, from, to }: BuyerSlice): number[] => Array.from(cells).slice(from, to)

test('buyers of several runs are counted once, below the least of their bounds', (t) => {
  const prng = new Prng([79, 3])
  for (let round = 0; round < 2_000; round++) {
    const runs = Array.from({ length: 1 + prng.below(3) }, () => {
      const buckets = Array.from({ length: prng.below(4) }, (_, at) => {
        const below = prng.chance(0.2) ? prng.below(400) - 200 : null
        const wallets = drawnBucket(prng, at).wallets
        return { at, wallets: wallets.filter((each) => below === null || each < below), below }
      })
      return { buckets, run: buyerSeries(buckets).sliceOf(0, 9) }
    })
    const buckets = runs.flatMap((each) => each.buckets)
    const bounds = buckets.flatMap(({ below }) => below ?? [])
    const below = bounds.length === 0 ? undefined : Math.min(...bounds)
    const wallets = buckets
      .flatMap((each) => each.wallets)
      .filter((each) => below === undefined || each < below)
    const expected = estimateDistinct(new Set(wallets).size, below)
    t.is(distinct(runs.map(({ run }) => run)), expected)
  }
})

test('counts buyers of a busy day once, with any collisions in the hash table', (t) => {
  const near = Array.from({ length: 3_000 }, (_, at) => at - 1_500)
  const far = Array.from({ length: 300 }, (_, at) => (at - 150) * 2 ** 20)
  for (const wallets of [near, far, [...near, ...far]]) {
    const buckets = [wallets, wallets.slice(7), wallets.slice(0, 9)].map((each, at) => ({
      at,
      wallets: each,
      below: null,
    }))
    t.is(distinct([buyerSeries(buckets).sliceOf(0, 9)]), new Set(wallets).size)
  }
})

/** Pools with a trade and three buyers in so many minutes, and the buyers by the hour. */
function pools(count: number, minutes: number): unknown[] {
  const prng = new Prng([79, 4])
  return Array.from({ length: count }, () => {
    const own = Array.from({ length: minutes }, (_, n) => FROM + n)
    const wallets = () => Array.from({ length: 3 }, () => prng.below(2 ** 31))
    const bucketAt = (at: number) => ({ at, wallets: wallets(), below: null })
    const minuteAt = (minute: number) => {
      const price = prng.below(1_000_000) / 7
      const prices = { open: price, high: price + 1, low: price - 1, close: price + 0.5 }
      return { minute, ...prices, volume: 5_000_000_000, trades: 4 }
    }
    // Series grow while time passes: old entries are trimmed at the front.
    const ofPool = minutesSeries(own.map(minuteAt))
    const ofBuyers = buyerSeries(own.map(bucketAt))
    for (let next = FROM + minutes; next < FROM + minutes + 1_000 && minutes > 100; next++) {
      ofPool.dropBefore(next - minutes)
      ofBuyers.dropBefore(next - minutes)
      ofPool.push(minuteAt(next))
      const { at, wallets: bought } = bucketAt(next)
      ofBuyers.push(at, bought, null)
    }
    const hours = [...new Set(own.map((at) => Math.floor(at / 60)))]
    return [ofPool, ofBuyers, buyerSeries(hours.map(bucketAt))]
  })
}

test('a minute of a busy pool with three buyers uses less than 90 bytes', (t) => {
  const each = bytesOf(() => pools(50, SERIES_MINUTES)) / (50 * SERIES_MINUTES)
  t.true(each < 90, `${each} bytes`)
})

/** So many that 100 KiB of other allocations of the process make no difference. */
const POOLS = 10_000

test('a token that traded in few minutes uses less than with an object for each', (t) => {
  for (const [minutes, atMost] of [
    [1, 1_000],
    [5, 1_900],
    [20, 6_000],
  ] as const) {
    const each = bytesOf(() => pools(POOLS, minutes)) / POOLS
    t.true(each < atMost, `${each} bytes with ${minutes} minutes`)
  }
})

test('minutes of changes of holders use no more than two numbers each', (t) => {
  const all = Array.from({ length: 1_440 }, (_, n) => FROM + n)
  const each = bytesOf(() => Array.from({ length: 200 }, () => netChanges(all, FROM))) / 200 / 1_440
  t.true(each < 10, `${each} bytes`)
  t.deepEqual(Array.from(netChanges([...all, -FROM, 1 - FROM], FROM + 1_438)), [
    ...[FROM + 1_438, 1],
    ...[FROM + 1_439, 1],
  ])
})
