// The rules of performance on hand-computed cases, a comment each: streaks, best and worst day, both drawdowns. Pure.

import test from 'ava'
import fc from 'fast-check'
import {
  type DayFlow,
  equityByDay,
  equityDrawdown,
  extremesOf,
  realizedDrawdown,
  streaksOf,
} from '../../../../api/resources/pnl/performance.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'

/** Days one after the other with these profits, in lamports; the cash flow is the same. */
const daysOf = (...realized: number[]): DayFlow[] =>
  realized.map((each, day) => ({ dayMs: day * DAY_MS, realized: BigInt(each), flow: BigInt(each) }))

test('counts the longest win and loss streaks', (t) => {
  const none = { kind: 'none', length: 0 } as const
  const table: [number[], ReturnType<typeof streaksOf>][] = [
    // No day, and days without realized profit.
    [[], { current: none, longestWin: 0, longestLoss: 0 }],
    [[0, 0], { current: none, longestWin: 0, longestLoss: 0 }],
    [[5], { current: { kind: 'win', length: 1 }, longestWin: 1, longestLoss: 0 }],
    [[-5], { current: { kind: 'loss', length: 1 }, longestWin: 0, longestLoss: 1 }],
    // A zero day neither breaks nor extends, also at the end.
    [[1, 0, 1, 0], { current: { kind: 'win', length: 2 }, longestWin: 2, longestLoss: 0 }],
    // The current one need not be the longest.
    [[1, 1, 1, -1, -1, 2], { current: { kind: 'win', length: 1 }, longestWin: 3, longestLoss: 2 }],
    [
      [-1, 0, -1, -1, 1, -1],
      { current: { kind: 'loss', length: 1 }, longestWin: 1, longestLoss: 3 },
    ],
  ]
  for (const [realized, expected] of table) {
    t.deepEqual(streaksOf(daysOf(...realized)), expected, realized.join())
  }
})

test('best and worst day, of equals the earlier', (t) => {
  t.deepEqual(extremesOf([]), {})
  const days = daysOf(3, -2, 3, -2, 0)
  t.deepEqual(extremesOf(days), { best: days[0], worst: days[1] })
  // One day is both; a losing one too.
  const one = daysOf(-7)
  t.deepEqual(extremesOf(one), { best: one[0], worst: one[0] })
})

test('drawdown of realized', (t) => {
  const table: [number[], number, number | null][] = [
    // No day: no fall from a peak of 0.
    [[], 0, null],
    [[0], 0, null],
    // No fall from a peak above 0.
    [[5, 0, 5], 0, 0],
    // Never above 0: the fall is from the 0 before the range, of which there is no share.
    [[-4], 4, null],
    [[-4, 2, -3], 5, null],
    // 10 -> 4 of a peak of 10.
    [[10, -6, 1], 6, 60],
    // 10 -> 7, then 20 -> 15: the larger fall, of its own peak.
    [[10, -3, 13, -5], 5, 25],
    // Equal falls, 10 -> 5 and 20 -> 15: the first.
    [[10, -5, 15, -5], 5, 50],
    // The larger fall came from 0, although a later peak followed: 0 -> -8, -8 -> 2 -> 0.
    [[-8, 10, -2], 8, null],
    // Below 0 from a peak: more than all of it.
    [[4, -10], 10, 250],
    // A third: rounded once.
    [[3, -1], 1, 100 / 3],
  ]
  for (const [realized, lamports, percent] of table) {
    const found = realizedDrawdown(daysOf(...realized))
    t.deepEqual(found, { lamports: BigInt(lamports), percent }, realized.join())
  }
  // Beyond the precision of doubles: 2^70 and a fall of one lamport.
  const big: DayFlow[] = [2n ** 70n, -1n].map((realized, day) => ({
    dayMs: day,
    realized,
    flow: 0n,
  }))
  t.is(realizedDrawdown(big).lamports, 1n)
})

const SOL = 1_000_000_000

test('drawdown of equity', (t) => {
  /** Value of each day, and cash flow of days, in SOL. */
  const table: [number[], Record<number, number>, number][] = [
    // Nothing.
    [[], {}, 0],
    // Bought for 10, value 10 (equity 0), 14, 5, 8: from +4 to -5.
    [[10, 14, 5, 8], { 0: -10 }, 9],
    // Proceeds are no loss: value 10, then 6 of it sold at the price.
    [[10, 4], { 0: -10, 1: 6 }, 0],
    // The peak starts at the first day, not at 0: its value is below its cost from the first day on.
    [[7, 7], { 0: -10 }, 0],
    [[7, 6], { 0: -10 }, 1],
    // Never down.
    [[1, 2, 3], { 0: -1 }, 0],
  ]
  for (const [values, flows, expected] of table) {
    const equities = equityByDay(
      values.map((valueSol, day) => ({ dayMs: day * DAY_MS, valueSol })),
      Object.entries(flows).map(([day, sol]) => ({
        dayMs: Number(day) * DAY_MS,
        realized: 0n,
        flow: BigInt(sol * SOL),
      })),
    )
    t.is(equityDrawdown(equities), expected, values.join())
  }
})

test('cash that flowed before the range counts from its first day on', (t) => {
  // Days 3 and 4 of a wallet that paid 10 SOL on day 0 and got 4 on day 4: -10 + 12, -6 + 5.
  const values = [12, 5].map((valueSol, day) => ({ dayMs: (3 + day) * DAY_MS, valueSol }))
  const flows = [
    { dayMs: 0, realized: 0n, flow: BigInt(-10 * SOL) },
    { dayMs: 4 * DAY_MS, realized: 0n, flow: BigInt(4 * SOL) },
  ]
  t.is(equityDrawdown(equityByDay(values, flows)), 3)
})

test('drawdowns equal a comparison of every pair of days', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 20 }), (realized) => {
      const sums = realized.map((_, at) => realized.slice(0, at + 1).reduce((a, b) => a + b))
      const curve = [0, ...sums]
      const largest = (of: number[]) =>
        Math.max(0, ...of.flatMap((before, at) => of.slice(at).map((after) => before - after)))
      t.is(realizedDrawdown(daysOf(...realized)).lamports, BigInt(largest(curve)))
      const values = sums.map((valueSol, day) => ({ dayMs: day, valueSol }))
      t.is(equityDrawdown(equityByDay(values, [])), largest(sums))
    }),
  )
})
