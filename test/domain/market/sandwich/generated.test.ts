/**
 * Markets with known sandwiches: how many are found and how many of those found are none, losses against the market run again without
 * the attackers, and what never changes a result.
 */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { inExecutionOrder } from '../../../../domain/market/order.ts'
import { detectSandwiches, type Judged } from '../../../../domain/market/sandwich/detect.ts'
import { placed } from '../../../../domain/market/sandwich/leg.ts'
import { lossesOf } from '../../../../domain/market/sandwich/loss.ts'
import { LAUNCHES } from '../../../support/market/launches.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { SandwichSimulator, type TrueSandwich } from '../../../support/market/sandwich-market.ts'
import { freshSeed, requestedSeed, sizeOf } from '../../../support/seed.ts'

const SLOTS = 200
const SEED = requestedSeed() ?? freshSeed()
const SEEDS = Array.from({ length: sizeOf({ daily: 3, long: 60 }) }, (_, n) => SEED + n)

const detect = (swaps: readonly Swap[], window: number): Judged[] =>
  detectSandwiches(
    { slots: inExecutionOrder(swaps), events: [], migratedAtMs: undefined },
    window,
  ).filter(({ ruling }) => ruling === 'sandwich')

const legsOf = ({ fronts, backs }: Judged): string =>
  [...fronts, ...backs].map(({ swap }) => swap.signature).join()

const isNarrow = ({ width }: Judged): boolean => width !== 'wide'

test(`sandwiches of generated markets are found, nothing else is, to the lamport (from seed ${SEED})`, (t) => {
  const counts = { truth: 0, found: 0, right: 0 }
  for (const seed of SEEDS) {
    const { swaps, truth } = new SandwichSimulator(seed, 3).run(SLOTS)
    const expected = new Map(truth.map((each) => [each.legs.join(), each]))
    const found = detect(swaps, 4).filter(isNarrow)
    counts.truth += truth.length
    counts.found += found.length
    for (const sandwich of found) {
      const known = expected.get(legsOf(sandwich))
      if (known === undefined) continue
      counts.right += 1
      t.is(sandwich.profit, known.profit)
      for (const { placed: victim, loss } of sandwich.victims) {
        t.is(loss?.basis, 'exact')
        t.is(loss?.low, known.losses.get(victim.swap.signature), `seed ${seed}`)
      }
      t.is(sandwich.gainOfOthers, gainsOf(known), `seed ${seed}`)
    }
  }
  t.log(counts)
  t.true(counts.truth > SEEDS.length * 20)
  t.true(counts.right / counts.truth >= 0.99)
  t.true(counts.right / counts.found >= 0.99)
})

const gainsOf = ({ losses }: TrueSandwich): bigint =>
  [...losses.values()].reduce((sum, loss) => sum + (loss < 0n ? -loss : 0n), 0n)

test('a wider window takes no narrow sandwich away', (t) => {
  const { swaps } = new SandwichSimulator(SEED, 3).run(SLOTS)
  for (const market of [swaps, LAUNCHES.filter(({ pairAddress }) => pairAddress === POOL)]) {
    const narrow = detect(market, 0).map(legsOf)
    t.true(narrow.length > 0)
    for (const window of [1, 2, 4]) {
      const all = detect(market, window).filter(isNarrow).map(legsOf)
      t.deepEqual(all, narrow)
    }
  }
})
const POOL = LAUNCHES.find(({ signature }) => signature.startsWith('CCnD5NXV'))?.pairAddress ?? ''

test('without legs of an attacker no swap loses', (t) => {
  const { swaps } = new SandwichSimulator(SEED, 3).run(SLOTS)
  const runs = [swaps, LAUNCHES.filter(({ pairAddress }) => pairAddress === POOL)]
  for (const run of runs) {
    const span = { before: undefined, events: [], migratedAtMs: undefined, isLeg: () => false }
    const losses = lossesOf({ ...span, all: placed(inExecutionOrder(run)) })
    t.is(losses.size, run.length)
    t.deepEqual(new Set(Array.from(losses.values(), ({ low }) => low)), new Set([0n]))
  }
})

test('a hidden formula bounds losses until others trade the other side, but for a unit of each leg', (t) => {
  const hidden = new SandwichSimulator(SEED, 4).run(SLOTS)
  const expected = new Map(hidden.truth.map((each) => [each.legs.join(), each]))
  const found = detect(hidden.swaps, 0)
  let checked = 0
  for (const sandwich of found) {
    const known = expected.get(legsOf(sandwich))
    const gained = [...(known?.losses ?? [])].find(([, loss]) => loss < 0n)?.[0]
    const firstGain = hidden.swaps.findIndex(({ signature }) => signature === gained)
    for (const { placed: victim, loss } of sandwich.victims) {
      const truth = known?.losses.get(victim.swap.signature)
      if (truth === undefined || loss === undefined) continue
      if (firstGain >= 0 && victim.index > firstGain) continue
      checked += 1
      t.is(loss.basis, 'bounded')
      t.true(loss.low <= (truth > 0n ? truth : 0n) + 2n, `seed ${SEED}: ${loss.low} > ${truth}`)
      t.true(loss.high === undefined || loss.high + 2n >= truth, `seed ${SEED}`)
    }
  }
  t.true(checked > 10)
})

test('other names change names only, and the order of arrival changes nothing', (t) => {
  const { swaps } = new SandwichSimulator(SEED, 3).run(SLOTS)
  const names = new Map<string, string>()
  const renamed = (name: string): string => {
    const other = names.get(name) ?? trader(100_000 - names.size)
    names.set(name, other)
    return other
  }
  const others = swaps.map((swap) => ({ ...swap, user: renamed(swap.user) }))
  const shapeOf = (found: readonly Judged[]) =>
    found.map((each) => [
      legsOf(each),
      each.width,
      each.profit,
      each.victims.map(({ loss }) => loss),
    ])
  t.deepEqual(shapeOf(detect(others, 4)), shapeOf(detect(swaps, 4)))
  t.deepEqual(shapeOf(detect(swaps.toReversed(), 4)), shapeOf(detect(swaps, 4)))
})
