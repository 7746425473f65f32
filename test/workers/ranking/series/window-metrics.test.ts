/** Figures of tokens in windows: a token that is skipped when windows move must not change by it. */
import test from 'ava'
import type { DexId } from '../../../../domain/venue.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import type { TokenSeries } from '../../../../workers/ranking/series/token-series.ts'
import {
  ALL_WINDOW_BITS,
  changedWindowBits,
  edgesBetween,
  metricsOf,
  nextChange,
} from '../../../../workers/ranking/series/window-metrics.ts'
import { buyerSeries, minutesSeries, plainMinutes } from '../../../support/ranking/packed-series.ts'

const END = 29_700_000

/** `ahead`: minutes after END that it may have, as a producer whose clock is fast makes them. */
function randomSeries(prng: Prng, ahead = 0): TokenSeries {
  const minutesOf = (count: number): number[] =>
    [
      ...new Set(
        Array.from(
          { length: count },
          () => END + ahead - prng.below(prng.chance(0.5) ? 70 : 2_900),
        ),
      ),
    ].sort((a, b) => a - b)
  const pools = [0, 1].map((poolId) => ({
    poolId,
    pair: `pair ${poolId}`,
    dex: (1 + prng.below(3)) as DexId,
    minutes: minutesOf(5).map((minute) => {
      const price = prng.chance(0.2) ? null : 1 + prng.below(20)
      const prices = { open: price, high: price, low: price, close: price }
      return { minute, ...prices, volume: prng.below(1_000_000_000), trades: 1 + prng.below(3) }
    }),
  }))
  const packed = pools.map((pool) => ({ ...pool, minutes: minutesSeries(pool.minutes) }))
  const traded = [...new Set(pools.flatMap(({ minutes }) => minutes.map(({ minute }) => minute)))]
  const buyerMinutes = traded
    .sort((a, b) => a - b)
    .map((at) => ({ at, wallets: [prng.below(6), 6 + prng.below(6)], below: null }))
  const buyerHours = [...Map.groupBy(buyerMinutes, ({ at }) => Math.floor(at / 60))].map(
    ([at, own]) => ({
      at,
      wallets: [...new Set(own.flatMap((each) => each.wallets))],
      below: null,
    }),
  )
  return {
    tokenId: 1,
    mint: 'mint',
    sector: null,
    creatorId: 1,
    firstMs: Math.min(...traded) * 60_000,
    pools: new Map(packed.map((pool) => [pool.poolId, pool])),
    buyerMinutes: buyerSeries(buyerMinutes),
    buyerHours: buyerSeries(buyerHours),
    creatorSales: prng.chance(0.3) ? [{ minute: traded[0]!, lamports: 5_000_000 }] : [],
    holderStats: {
      now: 9,
      top10Share: 0.7,
      changes: traded.flatMap((minute) => [minute, prng.below(3) - 1]),
    },
  }
}

test('reuses figures of windows without a moved edge, and computes the others in full', (t) => {
  const prng = new Prng([77, 1])
  let [left, moved] = [0, 0]
  for (let round = 0; round < 500; round++) {
    const series = randomSeries(prng)
    const step = 1 + prng.below(5)
    const before = metricsOf(series, END)
    const windowBits = changedWindowBits(series, edgesBetween(END, END + step))
    const after = metricsOf(series, END + step)
    for (const [index, figures] of after.entries()) {
      if ((windowBits & (1 << index)) !== 0) {
        moved += 1
        continue
      }
      left += 1
      t.deepEqual(figures, before[index])
    }
    const some = metricsOf(series, END + step, before, windowBits)
    t.deepEqual(some, after)
    t.true(some.every((figures, index) => windowBits & (1 << index) || figures === before[index]))
  }
  t.true(left > 700 && moved > 170, `${left} were left, ${moved} moved`)
})

test('minutes ahead of the end count in no window, and in all when the end reaches them', (t) => {
  const prng = new Prng([77, 5])
  let entered = 0
  for (let round = 0; round < 200; round++) {
    const ahead = randomSeries(prng, 11)
    const known = (end: number): TokenSeries => ({
      ...ahead,
      pools: new Map(
        [...ahead.pools].map(([id, pool]) => {
          const minutes = plainMinutes(pool.minutes).filter(({ minute }) => minute <= end)
          return [id, { ...pool, minutes: minutesSeries(minutes) }]
        }),
      ),
    })
    let figures = metricsOf(ahead, END)
    let changesAt = nextChange(ahead, END)
    t.deepEqual(figures, metricsOf(known(END), END))
    for (let end = END + 1; end <= END + 12; end++) {
      if (changesAt > end) {
        t.deepEqual(metricsOf(ahead, end), figures, 'nothing changes before the predicted minute')
        continue
      }
      const windowBits = changedWindowBits(ahead, edgesBetween(end - 1, end))
      if (windowBits === ALL_WINDOW_BITS) entered += 1
      figures = metricsOf(ahead, end, figures, windowBits)
      changesAt = nextChange(ahead, end)
      t.deepEqual(figures, metricsOf(known(end), end))
    }
  }
  t.true(entered > 60, `${entered} minutes entered`)
})

test('a token that fell by exactly 90 % is rugged for any digits', (t) => {
  const series = randomSeries(new Prng([77, 4]))
  const [pool] = series.pools.values()
  const minute = { ...plainMinutes(pool!.minutes)[0]!, minute: END, high: 1, low: 0, volume: 1 }
  const isRuggedFrom = (open: number, close: number): boolean | undefined => {
    const pools = new Map([[0, { ...pool!, minutes: minutesSeries([{ ...minute, open, close }]) }]])
    return metricsOf({ ...series, pools }, END)[0]?.isRugged
  }
  t.true(isRuggedFrom(0.0003, 0.00003))
  t.true(isRuggedFrom(0.001, 0.0001))
  t.false(isRuggedFrom(0.0003, 0.0000301))
})

test('all windows change where buyers are estimated', (t) => {
  const series = randomSeries(new Prng([77, 2]))
  const edges = edgesBetween(END, END + 1)
  t.not(changedWindowBits(series, edges), ALL_WINDOW_BITS)
  series.buyerHours.push(END / 60 + 1, [1, 2, 3, 4], 5)
  t.is(changedWindowBits(series, edges), ALL_WINDOW_BITS)
})

test('finds the same changes for very many minutes of a pool as for few', (t) => {
  const prng = new Prng([77, 3])
  const quiet = { ...randomSeries(prng), holderStats: undefined, creatorSales: [] }
  const [pool] = quiet.pools.values()
  const [first] = plainMinutes(pool!.minutes)
  const minuteAt = (minute: number) => ({ ...first!, minute })
  for (let back = 300; back >= 0; back -= 2) {
    const minutes = Array.from({ length: 150 }, (_, n) => minuteAt(END - back - 149 + n))
    const many = { ...quiet, pools: new Map([[0, { ...pool!, minutes: minutesSeries(minutes) }]]) }
    const few = new Map(
      minutes.map((each, id) => [id, { ...pool!, minutes: minutesSeries([each]) }]),
    )
    const edges = edgesBetween(END, END + 1)
    t.is(changedWindowBits(many, edges), changedWindowBits({ ...quiet, pools: few }, edges))
  }
})
