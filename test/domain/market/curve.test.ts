/** The formulas of venues: trades computed by hand, and the laws of all of them. */
import test from 'ava'
import fc from 'fast-check'
import { bondingCurve, type Curve, feeOnInput, feeOnSol } from '../../../domain/market/curve.ts'
import type { Reserves } from '../../../domain/market/reserves.ts'

const held = (sol: bigint, tokens: bigint): Reserves => ({ sol, tokens })
const PLENTY = held(10n ** 18n, 10n ** 18n)

test('a bonding curve sells for its cost, within what it holds', (t) => {
  // (1000 * 500 - 1) / (1500 + 1000) = 199; 1500 * 199 / (500 - 199) + 1 = 992.
  const curve = bondingCurve(held(1_500n, 500n), PLENTY)
  t.deepEqual(curve.buy(1_000n), { sol: 992n, tokens: 199n })
  // 1500 * 199 / (500 + 199) = 427.
  t.is(curve.proceeds(199n), 427n)
  const empty = bondingCurve(held(1_500n, 500n), held(400n, 100n))
  // 1500 * 100 / 400 + 1 = 376.
  t.deepEqual(empty.buy(1_000n), { sol: 376n, tokens: 100n })
  t.is(empty.proceeds(199n), 400n)
  t.is(curve.cost(500n), undefined)
})

test('a bonding curve makes exact input of the leg or one lamport less, and exact output', (t) => {
  const curve = bondingCurve(held(1_500n, 500n), PLENTY)
  // 1000 * 500 / 2500 = 200, 999 * 500 / 2499 = 199, and 992 is the cost of 199.
  for (const sol of [1_000n, 999n, 992n]) t.true(curve.makes(true, { sol, tokens: 199n }))
  t.true(curve.makes(true, { sol: 1_000n, tokens: 200n }))
  t.false(curve.makes(true, { sol: 1_000n, tokens: 198n }))
  t.false(curve.makes(true, { sol: 991n, tokens: 199n }))
  t.true(curve.makes(false, { sol: 427n, tokens: 199n }))
  t.false(curve.makes(false, { sol: 426n, tokens: 199n }))
})

test('a fee on the SOL leg is within the leg on both sides', (t) => {
  // 100 bps. Net of 1010 is 1000: 1000 * 500 / 2500 = 200; cost: ceil(1500 * 200 / 300) = 1000, and 10.
  const curve = feeOnSol(held(1_500n, 500n), 100n)
  t.deepEqual(curve.buy(1_010n), { sol: 1_010n, tokens: 200n })
  t.deepEqual(curve.buy(1_011n), { sol: 1_010n, tokens: 200n })
  // 1500 * 200 / 700 = 428, less ceil(4.28) = 5.
  t.is(curve.proceeds(200n), 423n)
  t.true(curve.makes(true, { sol: 1_010n, tokens: 200n }))
  t.true(curve.makes(false, { sol: 423n, tokens: 200n }))
  t.false(curve.makes(false, { sol: 428n, tokens: 200n }))
})

test('a fee on the input is taken from SOL of a buy and from tokens of a sell', (t) => {
  // 1 %. 1010 less ceil(10.1) = 999: 500 * 999 / 2499 = 199.
  const curve = feeOnInput(held(1_500n, 500n), 10_000n)
  t.deepEqual(curve.buy(1_010n), { sol: 1_010n, tokens: 199n })
  // ceil(1500 * 199 / 301) = 992, and 992 / 0.99 rounded up is 1003.
  t.is(curve.cost(199n), 1_003n)
  // 200 less 2 = 198: 1500 * 198 / 698 = 425.
  t.is(curve.proceeds(200n), 425n)
  t.true(curve.makes(true, { sol: 1_003n, tokens: 199n }))
  t.true(curve.makes(false, { sol: 425n, tokens: 200n }))
  // Exact output of 425: ceil(500 * 425 / 1075) = 198, and 198 / 0.99 = 200.
  t.true(curve.makes(false, { sol: 425n, tokens: 200n }))
  t.false(curve.makes(false, { sol: 425n, tokens: 199n }))
})

test('a trade too small for one unit is none', (t) => {
  const reserves = held(10n ** 12n, 1_000n)
  for (const curve of curvesOf(reserves, 25n)) {
    for (const lamports of [-1n, 0n, 1n]) t.deepEqual(curve.buy(lamports), held(0n, 0n))
  }
})

function curvesOf(reserves: Reserves, feeBps: bigint): Curve[] {
  return [
    bondingCurve(reserves, PLENTY),
    feeOnSol(reserves, feeBps),
    feeOnInput(reserves, feeBps * 100n),
  ]
}

const reserve = fc.bigInt({ min: 1n, max: 10n ** 16n })
const trade = fc.bigInt({ min: 0n, max: 10n ** 13n })
const feeBps = fc.bigInt({ min: 0n, max: 5_000n })
const FORMULAS = ['bonding_curve', 'fee_on_sol', 'fee_on_input'] as const

for (const [index, formula] of FORMULAS.entries()) {
  const curveAt = (reserves: Reserves, bps: bigint): Curve => {
    const curve = curvesOf(reserves, bps)[index]
    if (curve === undefined) throw new Error(`no curve of "${formula}"`)
    return curve
  }

  test(`${formula}: a buy stays within its budget and is one of the venue's modes`, (t) => {
    const holds = fc.property(reserve, reserve, trade, feeBps, (sol, tokens, lamports, bps) => {
      const curve = curveAt({ sol, tokens }, bps)
      const legs = curve.buy(lamports)
      if (legs.tokens === 0n) return legs.sol === 0n
      const cost = curve.cost(legs.tokens)
      return (
        legs.sol <= lamports && cost !== undefined && cost <= lamports && curve.makes(true, legs)
      )
    })
    t.notThrows(() => fc.assert(holds))
  })

  test(`${formula}: a sell of what a buy got never gains`, (t) => {
    const holds = fc.property(reserve, reserve, trade, feeBps, (sol, tokens, lamports, bps) => {
      const bought = curveAt({ sol, tokens }, bps).buy(lamports)
      const after = { sol: sol + bought.sol, tokens: tokens - bought.tokens }
      if (bought.tokens === 0n) return true
      return curveAt(after, bps).proceeds(bought.tokens) <= bought.sol
    })
    t.notThrows(() => fc.assert(holds))
  })

  test(`${formula}: a sell is made, and gets less than the pool holds`, (t) => {
    const holds = fc.property(reserve, reserve, trade, feeBps, (sol, tokens, sold, bps) => {
      const curve = curveAt({ sol, tokens }, bps)
      const got = curve.proceeds(sold)
      return got >= 0n && got < sol && curve.makes(false, { sol: got, tokens: sold })
    })
    t.notThrows(() => fc.assert(holds))
  })
}
