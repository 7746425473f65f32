// Factors of risk, hand-computed: where each begins, where it is full, and unknown ones.

import test from 'ava'
import {
  RISK_FACTORS,
  type RiskFactorName,
  type RiskFacts,
  riskOf,
} from '../../../../api/resources/tokens/risk.ts'
import { checkMint } from '../../../../chain/accounts/mint-check.ts'
import { trader } from '../../../support/market/sample-swap.ts'

const HOUR_MS = 3_600_000
const SOL = 1_000_000_000n

/** A harmless token. */
const SAFE: RiskFacts = {
  price: 1,
  peak: 1,
  dayOpen: 1,
  dayClose: 1,
  liquiditySol: 1_000,
  tradedPools: 2,
  ageMs: 1_000 * HOUR_MS,
  holderCount: 5_000,
  held: 1_000n,
  top10: 100n,
  creator: { wallet: trader(1), balance: 0n, sellsLamports: 0n, valueSol: 0 },
  checks: checkMint({ mintAuthority: null, freezeAuthority: null, extensions: [], epoch: null }),
}

function pointsOf(name: RiskFactorName, facts: Partial<RiskFacts>): number | null | undefined {
  return riskOf({ ...SAFE, ...facts }).factors.find((factor) => factor.name === name)?.points
}

test('a harmless token has no points, with the reasons', (t) => {
  const { score, level, factors } = riskOf(SAFE)
  t.is(score, 0)
  t.is(level, 'low')
  t.deepEqual(
    factors.map(({ name, points }) => [name, points]),
    RISK_FACTORS.map((name) => [name, 0]),
  )
  t.true(factors.every(({ evidence }) => Object.keys(evidence).length > 0))
})

test('each factor begins and is full where it should, and grows between', (t) => {
  const creator = { wallet: trader(1), balance: 0n, sellsLamports: 0n, valueSol: 0 }
  const cases: [RiskFactorName, Partial<RiskFacts>, number][] = [
    ['rugged', { dayOpen: 1, dayClose: 0.1 }, 40],
    // A tenth, although 0.1 * 0.0003 is less than that as a double.
    ['rugged', { dayOpen: 0.0003, dayClose: 0.00003 }, 40],
    ['rugged', { dayOpen: 1, dayClose: 0.100001 }, 0],
    // 50 % below the peak is the beginning, 95 % the end: 72.5 % is half way.
    ['fallen_from_peak', { price: 0.5, peak: 1 }, 0],
    ['fallen_from_peak', { price: 0.275, peak: 1 }, 5],
    ['fallen_from_peak', { price: 0.01, peak: 1 }, 10],
    ['fallen_from_peak', { price: 2, peak: 1 }, 0],
    ['top10_concentration', { top10: 300n }, 0],
    ['top10_concentration', { top10: 550n }, 10],
    ['top10_concentration', { top10: 900n }, 20],
    ['creator_holds', { creator: { ...creator, balance: 50n } }, 0],
    ['creator_holds', { creator: { ...creator, balance: 175n } }, 5],
    ['creator_holds', { creator: { ...creator, balance: 400n } }, 10],
    // Sold for 5 and 3 are left: 62.5 %, half way from 25 to 100.
    ['creator_sold', { creator: { ...creator, sellsLamports: 5n * SOL, valueSol: 3 } }, 7.5],
    ['creator_sold', { creator: { ...creator, sellsLamports: 1n * SOL, valueSol: 3 } }, 0],
    ['creator_sold', { creator: { ...creator, sellsLamports: 1n, valueSol: 0 } }, 15],
    ['single_pool', { tradedPools: 1 }, 5],
    ['low_liquidity', { liquiditySol: 200 }, 0],
    ['low_liquidity', { liquiditySol: 105 }, 7.5],
    ['low_liquidity', { liquiditySol: 0 }, 15],
    ['few_holders', { holderCount: 200 }, 0],
    ['few_holders', { holderCount: 110 }, 5],
    ['few_holders', { holderCount: 0 }, 10],
    ['fresh_mint', { ageMs: 72 * HOUR_MS }, 0],
    ['fresh_mint', { ageMs: 36.5 * HOUR_MS }, 5],
    ['fresh_mint', { ageMs: 0 }, 10],
  ]
  for (const [name, facts, points] of cases) {
    t.true(Math.abs((pointsOf(name, facts) ?? -1) - points) < 1e-9, `${name} ${points}`)
  }
})

test('authorities and extensions have points by the answer of a node', (t) => {
  const holder = trader(2)
  const plain = { mintAuthority: null, freezeAuthority: null, extensions: [], epoch: null }
  const minting = checkMint({ ...plain, mintAuthority: holder })
  t.is(pointsOf('mint_authority', { checks: minting }), 15)
  t.is(pointsOf('freeze_authority', { checks: minting }), 0)
  t.is(pointsOf('token_extensions', { checks: minting }), 0)
  t.is(
    pointsOf('freeze_authority', { checks: checkMint({ ...plain, freezeAuthority: holder }) }),
    10,
  )
  const extensions = [
    { name: 'permanentDelegate', state: { delegate: holder } },
    { name: 'nonTransferable', state: {} },
  ]
  const { factors } = riskOf({ ...SAFE, checks: checkMint({ ...plain, extensions }) })
  t.like(factors.at(-1), {
    name: 'token_extensions',
    points: 20,
    evidence: { failed_checks: ['no_permanent_delegate', 'transferable'] },
  })
})

test('gives unknown factors no points and leaves them out of the score', (t) => {
  const { score, factors } = riskOf({
    ...SAFE,
    price: null,
    peak: null,
    dayOpen: null,
    dayClose: null,
    liquiditySol: null,
    tradedPools: 0,
    ageMs: null,
    held: 0n,
    top10: 0n,
    creator: null,
    checks: null,
  })
  t.is(score, 0)
  const known = factors.filter(({ points }) => points !== null).map(({ name }) => name)
  t.deepEqual(known, ['few_holders'])
})

test('does not judge a creator by sells when the rest has no price', (t) => {
  const creator = { wallet: trader(1), balance: 5n, sellsLamports: SOL, valueSol: null }
  t.is(pointsOf('creator_sold', { creator }), null)
  t.is(pointsOf('creator_holds', { creator }), 0)
})

test('the score is the sum, at most 100, and names its level', (t) => {
  const levelOf = (facts: Partial<RiskFacts>) => {
    const { score, level } = riskOf({ ...SAFE, ...facts })
    return [score, level]
  }
  // 40; 40 + 10; 40 + 10 + 20 + 5; all of these and more.
  const rug = { dayOpen: 1, dayClose: 0.01 }
  const fallen = { ...rug, price: 0.01 }
  const narrow = { ...fallen, top10: 1_000n, tradedPools: 1 }
  t.deepEqual(levelOf({ tradedPools: 1, liquiditySol: 0 }), [20, 'low'])
  t.deepEqual(levelOf({ tradedPools: 1, top10: 1_000n }), [25, 'medium'])
  t.deepEqual(levelOf(rug), [40, 'medium'])
  t.deepEqual(levelOf(fallen), [50, 'high'])
  t.deepEqual(levelOf(narrow), [75, 'critical'])
  t.deepEqual(levelOf({ ...narrow, holderCount: 0, ageMs: 0, liquiditySol: 0 }), [100, 'critical'])
})
