/** Quotes: by formula, by evidence, and refused with a reason. */
import test from 'ava'
import fc from 'fast-check'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { inExecutionOrder } from '../../../domain/market/order.ts'
import { greatestLeg, netOf, outsideFees } from '../../../domain/market/outside-fees.ts'
import {
  type NotPriced,
  type Priced,
  type QuotedPool,
  quote,
  type Trade,
} from '../../../domain/market/quote.ts'
import { FormulaPool } from '../../support/market/formula-pool.ts'
import { LAUNCHES } from '../../support/market/launches.ts'

const RESERVES = { sol: 1_000_000_000_000n, tokens: 500_000_000_000_000n }
const NOTHING_ASSUMED = { assumedFeeBps: 0n }
const buy = (lamports: bigint): Trade => ({ isBuy: true, lamports })
const sell = (tokens: bigint): Trade => ({ isBuy: false, tokens })

/** The pool at the end of a slot of these swaps. */
function poolAt(
  slot: number,
  swaps: readonly Swap[],
  changes: Partial<QuotedPool> = {},
): QuotedPool {
  const slots = inExecutionOrder(swaps)
  return {
    slots: slots.filter((each) => each.slot <= slot),
    following: slots.filter((each) => each.slot > slot),
    ...{ events: [], slot, migratedAtMs: undefined, isClosed: false, hasGap: false },
    ...changes,
  }
}

function priced(pool: QuotedPool, trade: Trade, assumed = NOTHING_ASSUMED): Priced {
  const found = quote(pool, trade, assumed)
  if (found.basis === 'none') throw new Error(`no quote: ${found.reason}`)
  return found
}

function reasonOf(pool: QuotedPool, trade: Trade): NotPriced['reason'] | undefined {
  const found = quote(pool, trade, NOTHING_ASSUMED)
  return found.basis === 'none' ? found.reason : undefined
}

const change = (swap: Swap, changes: Partial<PoolEvent>): PoolEvent => ({
  ...{ event: 'liquidity_added', signature: swap.signature, slot: swap.slot },
  ...{ timestamp: swap.timestamp, pairAddress: swap.pairAddress, tokenAddress: swap.tokenAddress },
  ...{ dex: swap.dex, blockTxIndex: swap.blockTxIndex + 1, ixIndex: 0 },
  ...changes,
})

test('a reproduced state is priced by its formula, without what follows', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 3 })
  const state = market.buy(5_000_000_000n)
  const expected = market.curve().buy(1_000_000_000n)
  const following = [market.buy(7_000_000_000n), market.sell(1_000_000n)]
  const found = priced(poolAt(1_000, [state, ...following]), buy(1_000_000_000n))
  t.like(found, { basis: 'exact', state, evidence: 0 })
  t.deepEqual(found.sol, { low: expected.sol, high: expected.sol })
  t.deepEqual(found.tokens, { low: expected.tokens, high: expected.tokens })
  t.deepEqual(found.total, found.sol)
  t.deepEqual(found.poolFee, { sol: 2_500_000n, tokens: 0n })
  // 1 SOL against 1,005 SOL moves the price by 9.95 bps, and the fee by 25.06.
  t.deepEqual(found.impactBps, { low: 36n, high: 36n })
})

test('fees outside the legs are within the budget of a buy and taken from a sell', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 3 })
  const stated = { feeBps: 100, creatorFeeBps: 50 }
  const swaps = [market.buy(5_000_000_000n), market.buy(1_000_000_000n)].map((swap) => ({
    ...swap,
    dex: 8 as const,
    ...stated,
  }))
  const bought = priced(poolAt(1_000, swaps), buy(1_015n * 1_000n))
  t.is(bought.basis, 'bounded')
  t.deepEqual(bought.sol, { low: 1_000_000n, high: 1_000_000n })
  t.deepEqual(bought.outside, { low: 15_000n, high: 15_000n })
  t.deepEqual(bought.total, { low: 1_015_000n, high: 1_015_000n })
  const odd = priced(poolAt(1_000, swaps), buy(1_015n * 1_000n - 1n))
  t.deepEqual(odd.total, { low: 1_014_999n, high: 1_014_999n })
  t.is(odd.sol.low, 999_999n)
  const sold = priced(
    poolAt(
      1_000,
      swaps.map((swap) => ({ ...swap, isBuy: false })),
    ),
    sell(1_000n),
  )
  t.is(sold.total.low, sold.sol.low - sold.outside.low)
})

test('stated rates are charged of the leg without the fee of the pool, and nothing is assumed then', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 2, ratePpm: 0n })
  const rates = { outsideProtocolBps: 93, outsideCreatorBps: 30 }
  const state = { ...market.buy(5_000_000_000n), ...rates }
  const charged = (net: bigint) => (net * 93n + 9_999n) / 10_000n + (net * 30n + 9_999n) / 10_000n
  for (const assumedFeeBps of [0n, 500n]) {
    const sold = priced(poolAt(1_000, [state]), sell(1_000_001n), { assumedFeeBps })
    t.is(sold.outside.low, charged(sold.sol.low + (sold.poolFee?.sol ?? 0n)))
    t.is(sold.total.low, sold.sol.low - sold.outside.low)
    const bought = priced(poolAt(1_000, [state]), buy(7_000_003n), { assumedFeeBps })
    t.is(bought.outside.low, charged(bought.sol.low - (bought.poolFee?.sol ?? 0n)))
    t.true(bought.total.low <= 7_000_003n)
    t.deepEqual([sold.outsideSource, bought.outsideSource], ['stated', 'stated'])
  }
  const one = { ...state, outsideCreatorBps: undefined }
  const assumed = priced(poolAt(1_000, [one]), sell(1_000_001n), { assumedFeeBps: 10n })
  t.is(assumed.outside.low, (assumed.sol.low * 10n + 9_999n) / 10_000n)
})

test('the leg of a budget is the greatest that its fees leave room for', (t) => {
  const bps = fc.bigInt({ min: 0n, max: 10_000n })
  const rates = fc.record({
    ofLeg: fc.array(bps, { maxLength: 2 }),
    ofNet: fc.array(bps, { maxLength: 2 }),
    poolFeeBps: bps,
  })
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 6n }), rates, (budget, each) => {
      const total = (leg: bigint) => leg + outsideFees(leg, netOf(true, leg, each).low, each)
      const leg = greatestLeg(budget, each)
      return total(leg) <= budget && total(leg + 1n) > budget
    }),
    { numRuns: 20_000 },
  )
  t.pass()
})

test('the net of a sold leg lies between the least and the greatest amount that make it', (t) => {
  const poolFee = fc.bigInt({ min: 0n, max: 9_999n })
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), poolFee, (gross, poolFeeBps) => {
      const leg = gross - (gross * poolFeeBps + 9_999n) / 10_000n
      const { low, high } = netOf(false, leg, { ofLeg: [], ofNet: [], poolFeeBps })
      const legOf = (net: bigint) => net - (net * poolFeeBps + 9_999n) / 10_000n
      return low <= gross && gross <= high && legOf(low) === leg && legOf(high) === leg
    }),
  )
  t.pass()
})

test('an assumed fee is charged where no field states one, and nowhere else', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 2, ratePpm: 0n })
  const state = market.buy(5_000_000_000n)
  const found = priced(poolAt(1_000, [state]), sell(1_000_000n), { assumedFeeBps: 10n })
  t.is(found.outside.low, (found.sol.low * 10n + 9_999n) / 10_000n)
  t.is(found.total.low, found.sol.low - found.outside.low)
  t.is(found.outsideSource, 'assumed')
  const other = new FormulaPool({ ...RESERVES, dex: 3 }).buy(5_000_000_000n)
  const free = priced(poolAt(1_000, [other]), sell(1_000_000n), { assumedFeeBps: 10n })
  t.is(free.outside.low, 0n)
  t.is(free.outsideSource, 'none')
})

test('lamports outside the reported account enter the formula', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 2, ratePpm: 0n })
  const hidden = 400_000_000_000n
  const swap = market.buy(5_000_000_000n)
  const state = { ...swap, virtualQuoteReserves: Number(hidden) }
  const reported = { realSolReserves: BigInt(swap.realSolReserves) - hidden }
  const whole = priced(poolAt(1_000, [swap]), sell(10n ** 12n))
  const split = priced(poolAt(1_000, [{ ...state, ...reported }]), sell(10n ** 12n))
  t.deepEqual(split.sol, whole.sol)
  t.is(split.unreported, hidden)
})

test('changes of liquidity since the state are counted where their amounts are known', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 3 })
  const state = market.buy(5_000_000_000n)
  const added = { solAmount: 2_000_000_000, tokenAmount: 1_000_000_000_000 }
  const removed = { event: 'liquidity_removed', solAmount: 500, tokenAmount: 900 } as const
  const at = (events: PoolEvent[]): QuotedPool => poolAt(1_010, [state], { events })
  const found = priced(
    at([change(state, added), change(state, { ...removed, slot: 1_005 })]),
    buy(1_000_000_000n),
  )
  t.deepEqual(found.held?.price, {
    sol: BigInt(state.realSolReserves) + 2_000_000_000n - 500n,
    tokens: BigInt(state.realTokenReserves) + 1_000_000_000_000n - 900n,
  })
  const unchanged = priced(at([]), buy(1_000_000_000n))
  const ignored = [
    change(state, { ...added, slot: 999 }),
    change(state, { ...added, slot: 1_011 }),
    change(state, { ...added, event: 'created' }),
  ]
  for (const event of ignored) t.deepEqual(priced(at([event]), buy(1_000_000_000n)), unchanged)
  const unknown = [
    change(state, { solAmount: 5 }),
    change(state, { tokenAmount: 5 }),
    change(state, { ...added, blockTxIndex: state.blockTxIndex, ixIndex: state.ixIndex }),
    change(state, { ...removed, solAmount: 10 ** 15 }),
  ]
  for (const event of unknown) t.is(reasonOf(at([event]), buy(1n)), 'liquidity')
})

test('a curve whose balances are not stated is bounded by what follows, and never sold out', (t) => {
  const [bought, next] = LAUNCHES.filter(
    ({ pairAddress, isBuy }) => isBuy && pairAddress === LAUNCHES[0]?.pairAddress,
  ).slice(0, 2)
  if (bought === undefined || next === undefined) return t.fail()
  const later = { ...next, slot: bought.slot + 1 }
  const swaps = [bought, later]
  const budget = buy(BigInt(next.solAmount) / 2n)
  t.is(priced(poolAt(bought.slot, swaps), budget).basis, 'exact')
  const sold = { ...bought, isBuy: false }
  for (const state of [bought, sold]) {
    const bare = { ...state, realSolReserves: 0, realTokenReserves: 0, priceAfter: 1e-9 }
    t.is(priced(poolAt(bought.slot, [bare, later]), budget).basis, 'bounded')
    t.is(reasonOf(poolAt(bought.slot, [bare]), budget), 'no_depth')
  }
})

test('a quote that is not possible states why', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 4 })
  const swaps = [
    market.buy(5_000_000_000n),
    market.buy(1_000_000_000n),
    market.buy(3_000_000_000n),
    market.sell(10n ** 9n),
  ]
  const [state] = swaps
  if (state === undefined) throw new Error('expected a swap')
  const at = (changes: Partial<QuotedPool> = {}): QuotedPool => poolAt(1_000, swaps, changes)
  const small = buy(1_000n)
  t.is(reasonOf(at(), small), undefined)
  t.is(reasonOf(at({ slots: [] }), small), 'no_swap')
  t.is(reasonOf(at({ isClosed: true }), small), 'pool_closed')
  t.is(reasonOf(at({ hasGap: true }), small), 'coverage')
  t.is(reasonOf(at({ events: [change(state, {})] }), small), 'liquidity')
  t.is(reasonOf(at(), buy(4_000_000_001n)), 'no_depth')
  t.is(reasonOf(at({ following: [] }), small), 'no_depth')
  // Sells follow buys only, and a price after the swap before is not published.
  t.is(reasonOf(poolAt(1_002, swaps), sell(10n)), 'no_marginal_price')
  const [, next] = swaps
  const dearer = next && { ...next, tokenAmount: BigInt(next.tokenAmount) * 2n }
  t.is(reasonOf(poolAt(1_000, dearer ? [state, dearer] : []), small), 'inconsistent')
  const tied = swaps.map((swap) => ({ ...swap, slot: 1_000, dex: 10 as const }))
  t.is(reasonOf(poolAt(1_000, tied), small), 'order_unknown')
})

test('evidence ends with the other side, a change of liquidity, an unknown order, 64 swaps or 64 slots', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 4 })
  const swaps = Array.from({ length: 80 }, () => market.buy(1_000_000_000n))
  const count = (own: readonly Swap[], changes: Partial<QuotedPool> = {}): number =>
    priced(poolAt(1_000, own, changes), buy(1n)).evidence
  t.is(count(swaps), 64)
  t.is(count(swaps.slice(0, 10)), 9)
  t.is(count(swaps.map((swap, index) => ({ ...swap, slot: 1_000 + 10 * index }))), 6)
  t.is(count(swaps.map((swap, index) => (index === 5 ? { ...swap, isBuy: false } : swap))), 4)
  const [, , , fourth] = swaps
  if (fourth === undefined) throw new Error('expected a swap')
  t.is(count(swaps, { events: [change(fourth, { blockTxIndex: 0 })] }), 2)
  const tied = swaps.map((swap, index) => {
    const isTied = index === 7 || index === 8
    return isTied ? { ...swap, slot: 1_007, dex: 10 as const } : swap
  })
  t.is(count(tied), 6)
})

test('bounds are the points of the evidence, and lines between and beyond them', (t) => {
  const market = new FormulaPool({ ...RESERVES, dex: 4 })
  const state = market.buy(1_000_000_000n)
  const legs = { realSolReserves: 0, realTokenReserves: 0 }
  const at = (slot: number, sol: number, tokens: number): Swap => ({
    ...{ ...state, ...legs, slot, signature: `${slot}`, solAmount: sol, tokenAmount: tokens },
  })
  // The state's swap got 10 for 100; afterwards 9 for 100 and 15 for 200.
  const swaps = [at(1_000, 100, 10), at(1_001, 100, 9), at(1_002, 200, 15)]
  const bounds = (lamports: bigint) => priced(poolAt(1_000, swaps), buy(lamports)).tokens
  t.deepEqual(bounds(100n), { low: 9n, high: 9n })
  t.deepEqual(bounds(300n), { low: 24n, high: 24n })
  t.deepEqual(bounds(50n), { low: 4n, high: 5n })
  t.deepEqual(bounds(150n), { low: 12n, high: 14n })
  // A price of 0.0125 lamports a unit: 0.0125 * 10^(6 - 9) SOL a token.
  const published = { ...at(1_000, 100, 10), priceAfter: 12.5e-3 }
  const [, ...following] = swaps
  const found = priced(poolAt(1_000, [published, ...following]), buy(50n))
  t.deepEqual(found.tokens, { low: 4n, high: 4n })
})

test('the true outcome of a hidden formula is within the bounds', (t) => {
  let bounded = 0
  const lamports = fc.bigInt({ min: 10n ** 9n, max: 100n * 10n ** 9n })
  const holds = fc.property(
    fc.boolean(),
    fc.array(lamports, { minLength: 1, maxLength: 8 }),
    fc.bigInt({ min: 1n, max: 10n ** 11n }),
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 30_000n }),
    (isBuy, amounts, wanted, hasPrices, ratePpm) => {
      const options = { dex: 4, isFeeApart: true, hasPrices, ratePpm } as const
      const market = new FormulaPool({ ...RESERVES, ...options })
      const trade = (size: bigint): Swap => (isBuy ? market.buy(size) : market.sell(size * 500n))
      const state = trade(10n ** 9n)
      const curve = market.curve()
      const swaps = [state, ...amounts.map(trade)]
      const size = isBuy ? wanted : wanted * 500n
      const found = quote(poolAt(1_000, swaps), isBuy ? buy(size) : sell(size), NOTHING_ASSUMED)
      if (found.basis === 'none') return ['no_depth', 'inconsistent'].includes(found.reason)
      bounded++
      const outcome = isBuy ? found.tokens : found.sol
      // Each recorded leg is rounded by up to one unit, which a line beyond the smallest leg multiplies by up to 100.
      const slack = BigInt(swaps.length) * 100n
      const outcomeOf = (input: bigint): bigint =>
        isBuy ? curve.buy(input).tokens : curve.proceeds(input < 0n ? 0n : input)
      const least = outcomeOf(size - slack) - slack
      return outcome.low <= outcomeOf(size + slack) + slack && least <= outcome.high
    },
  )
  t.notThrows(() => fc.assert(holds))
  t.true(bounded > 20)
})
