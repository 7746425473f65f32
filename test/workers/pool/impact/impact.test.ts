/**
 * Price impact, rule by rule of docs/semantics.md#price-impact, each case computed by hand. Rules that give
 * null are tried on swaps that would have an impact otherwise.
 */
import test from 'ava'
import fc from 'fast-check'
import {
  INT64_MAX,
  INT64_MIN,
  type Int64,
  int64,
  int64Saturated,
} from '../../../../domain/amount.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import type { DexId } from '../../../../domain/venue.ts'
import { unreportedLamports } from '../../../../domain/venue.ts'
import { type ImpactContext, priceImpactBps } from '../../../../workers/pool/impact/impact.ts'
import { SWAP } from '../../../support/events/sample-event.ts'
import { byFractions } from '../../../support/market/impact-model.ts'

const MARKED_FROM = Date.UTC(2026, 4, 30)
const CORRECTED_FROM = Date.UTC(2026, 6, 15)

/** The impact of a buy at 20 lamports a unit, reserves of every kind and a price before it. */
function impact(changes: Partial<Swap>, context: Partial<ImpactContext> = {}): Int64 | null {
  const swap: Swap = {
    ...SWAP,
    timestamp: MARKED_FROM,
    solAmount: 1_000_000,
    tokenAmount: 50_000,
    quoteDecimals: 9,
    virtualSolReserves: 30_000_000,
    virtualTokenReserves: 1_000_000,
    realSolReserves: 31_000_000,
    realTokenReserves: 950_000,
    ...changes,
  }
  return priceImpactBps(swap, { migratedAtMs: undefined, priceBefore: 16, ...context })
}

test('rule 1: venues 8 and 10 have no impact', (t) => {
  const known = ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as DexId[]).map((dex) => impact({ dex }))
  // 1: 20 / (30 / 1) - 1 = -1/3. 2 3 5: before it (31 - 1) / (0.95 + 0.05): the same -1/3.
  // 4 6 7 9: 20 / 16 - 1 = 1/4.
  t.deepEqual(known, [-3333, -3333, -3333, 2500, -3333, 2500, 2500, null, 2500, null])
})

test('rule 2: trades of the agent have no impact, on any venue', (t) => {
  for (const dex of [1, 2, 3, 7] as DexId[]) {
    t.is(impact({ dex, agentTrade: 2 }), null)
    t.not(impact({ dex, agentTrade: 1 }), null)
    t.not(impact({ dex, agentTrade: 3 }), null)
  }
})

test('rule 2: before it was marked, a trade of venue 1 without any fee is the agent', (t) => {
  const before = { dex: 1 as const, timestamp: MARKED_FROM - 1 }
  t.is(impact(before), null)
  // From the date on such a trade is an ordinary one.
  t.is(impact({ dex: 1, timestamp: MARKED_FROM }), -3333)
  // Any one of the four fees makes it an ordinary one.
  t.is(impact({ ...before, fee: 1 }), -3333)
  t.is(impact({ ...before, feeBps: 1 }), -3333)
  t.is(impact({ ...before, creatorFee: 1 }), -3333)
  t.is(impact({ ...before, creatorFeeBps: 1 }), -3333)
  // The rule is venue 1's only.
  t.is(impact({ ...before, dex: 2 }), -3333)
  t.is(impact({ ...before, dex: 7 }), 2500)
})

test('rule 3: a leg below 10,000 base units has no impact', (t) => {
  // 10,000 / 50,000 = 0.2 lamports a unit against 30: -2980/3000 = -9933.3.
  t.is(impact({ dex: 1, solAmount: 10_000 }), -9933)
  t.is(impact({ dex: 1, solAmount: 9_999 }), null)
  // 1,000,000 / 10,000 = 100 against 30: 70/30 = 23333.3.
  t.is(impact({ dex: 1, tokenAmount: 10_000 }), 23_333)
  t.is(impact({ dex: 1, tokenAmount: 9_999 }), null)
  for (const dex of [2, 3, 7] as DexId[]) {
    t.is(impact({ dex, solAmount: 9_999 }), null)
    t.is(impact({ dex, tokenAmount: 9_999 }), null)
    t.is(impact({ dex, solAmount: 0 }), null)
  }
})

test('rule 4: without a cut-over a venue is computed from the oldest swap on', (t) => {
  for (const dex of [3, 4, 5, 6, 7, 9] as DexId[]) {
    t.not(impact({ dex, timestamp: Date.UTC(2020, 0, 1) }), null)
  }
})

test('rule 5: venue 1 is measured by the curve after the trade, truncated toward zero', (t) => {
  // Buy: 20 / 30 - 1 = -3333.3: down would be -3334.
  t.is(impact({ dex: 1 }), -3333)
  // Sell at 40: -(40 / 30 - 1) = -3333.3.
  t.is(impact({ dex: 1, isBuy: false, solAmount: 2_000_000 }), -3333)
  // Sell at 20: +3333.3, although no real curve has that price: the published one counts.
  t.is(impact({ dex: 1, isBuy: false }), 3333)
  // 1 SOL at the curve's own price: 0 stays 0 here.
  t.is(impact({ dex: 1, solAmount: 1_500_000 }), 0)
  // 29.9985 against 30: -0.5 is 0, not -1.
  t.is(impact({ dex: 1, solAmount: 1_499_925 }), 0)
  // Real reserves do not count, decimals cancel out.
  t.is(impact({ dex: 1, realSolReserves: 0, realTokenReserves: 0, quoteDecimals: 0 }), -3333)
})

test('rule 6: venue 2 is measured by the reserves before the trade, truncated toward zero', (t) => {
  // Buy of 0.1 SOL for 90,000: before it 1 SOL over 1,000,000. 1111.1 against 1000 lamports a unit.
  const buy = {
    dex: 2 as const,
    solAmount: 100_000_000,
    tokenAmount: 90_000,
    realSolReserves: 1_100_000_000,
    realTokenReserves: 910_000,
  }
  t.is(impact(buy), 1111)
  // Sell of 100,000 for 0.09 SOL: before it 1 SOL over 1,000,000. -(900 / 1000 - 1).
  const sell = {
    dex: 2 as const,
    isBuy: false,
    solAmount: 90_000_000,
    tokenAmount: 100_000,
    realSolReserves: 910_000_000,
    realTokenReserves: 1_100_000,
  }
  t.is(impact(sell), 1000)
  // A trade at the price itself: 0 is a real reading here. Half a bp either way is 0 as well.
  const even = { ...sell, solAmount: 100_000_000, realSolReserves: 900_000_000 }
  t.is(impact(even), 0)
  t.is(impact({ ...even, solAmount: 99_995_000, realSolReserves: 900_005_000 }), 0)
  t.is(impact({ ...even, solAmount: 100_005_000, realSolReserves: 899_995_000 }), 0)
  // 1.5 bp against and for the trader: 1 and -1.
  t.is(impact({ ...even, solAmount: 99_985_000, realSolReserves: 900_015_000 }), 1)
  t.is(impact({ ...even, solAmount: 100_015_000, realSolReserves: 899_985_000 }), -1)
})

test('rule 6: pools that migrated from the date on have 17.58 SOL more', (t) => {
  // Before it 1 SOL over 1,000,000: 1000 lamports a unit, or 18,580 with the unreported SOL.
  const buy = {
    dex: 2 as const,
    solAmount: 1_858_000_000,
    tokenAmount: 90_000,
    realSolReserves: 2_858_000_000,
    realTokenReserves: 910_000,
  }
  // 20,644.4 / 18,580 - 1 = 1/9; 20,644.4 / 1,000 - 1 = 19.6444.
  t.is(impact(buy, { migratedAtMs: CORRECTED_FROM }), 1111)
  t.is(impact(buy, { migratedAtMs: CORRECTED_FROM + 1 }), 1111)
  t.is(impact(buy, { migratedAtMs: CORRECTED_FROM - 1 }), 196_444)
  t.is(impact(buy, { migratedAtMs: undefined }), 196_444)
  // The migration decides, not the swap's own time nor a published price.
  const old = { timestamp: CORRECTED_FROM - 1, poolPrice: 1 }
  t.is(impact({ ...buy, ...old }, { migratedAtMs: CORRECTED_FROM }), 1111)
  // Venue 2 only.
  t.is(impact({ ...buy, dex: 3 }, { migratedAtMs: CORRECTED_FROM }), 196_444)
  t.is(unreportedLamports(2, CORRECTED_FROM, undefined), 17_580_000_000)
  for (const dex of [1, 3, 4, 5, 6, 7, 8, 9, 10]) {
    t.is(unreportedLamports(dex, CORRECTED_FROM, undefined), 0)
    t.is(unreportedLamports(dex, CORRECTED_FROM, 5), 0)
  }
})

test('rule 6: what the swap states replaces the 17.58 SOL, whatever the migration', (t) => {
  // Same as above: 1 SOL over 1,000,000 before it, and 37 SOL that the swap states: 38,000 lamports a unit.
  const buy = {
    dex: 2 as const,
    solAmount: 1_858_000_000,
    tokenAmount: 90_000,
    realSolReserves: 2_858_000_000,
    realTokenReserves: 910_000,
    virtualQuoteReserves: 37_000_000_000,
  }
  for (const migratedAtMs of [undefined, CORRECTED_FROM - 1, CORRECTED_FROM]) {
    // 20,644.4 / 38,000 - 1 = -0.456725...
    t.is(impact(buy, { migratedAtMs }), -4567)
    // Nothing unreported: 20,644.4 / 1,000 - 1.
    t.is(impact({ ...buy, virtualQuoteReserves: 0 }, { migratedAtMs }), 196_444)
    // 2^62 lamports, exactly: a buy far below such a price.
    t.is(impact({ ...buy, virtualQuoteReserves: int64(2n ** 62n) }, { migratedAtMs }), -9999)
    t.is(impact({ ...buy, dex: 3 }, { migratedAtMs }), 196_444)
  }
})

/** A swap of 100,000 units at `milli` thousandths of a lamport, from 1 SOL over 1,000,000 units. */
function fromEven(dex: DexId, isBuy: boolean, milli: number): Partial<Swap> {
  const solAmount = milli * 100
  return {
    dex,
    isBuy,
    solAmount,
    tokenAmount: 100_000,
    realSolReserves: 1_000_000_000 + (isBuy ? solAmount : -solAmount),
    realTokenReserves: isBuy ? 900_000 : 1_100_000,
  }
}

test('rule 7: venues 3 and 5 round to the nearest bp, half away from zero, never 0', (t) => {
  // Against 1,000 lamports a unit; 0.1 lamports are one bp of it.
  const buys: [number, number][] = [
    [1_000_240, 2], // 2.4
    [1_000_250, 3], // 2.5
    [999_760, -2], // -2.4
    [999_750, -3], // -2.5
    [1_000_050, 1], // 0.5
    [999_950, -1], // -0.5
    [1_000_040, 1], // 0.4: not 0
    [999_960, -1], // -0.4: not 0
    [1_000_000, 1], // 0 itself
    [1_111_100, 1111],
  ]
  for (const dex of [3, 5] as DexId[]) {
    for (const [milli, bps] of buys) {
      t.is(impact(fromEven(dex, true, milli)), bps, `buy at ${milli}`)
      if (milli !== 1_000_000) t.is(impact(fromEven(dex, false, milli)), 0 - bps, `sell ${milli}`)
    }
    // Neither for nor against: +1 on the sell as well.
    t.is(impact(fromEven(dex, false, 1_000_000)), 1)
  }
})

test('rule 7: in exact integers too, an impact within 1e-7 of 0 is +1', (t) => {
  // From 10^6 SOL over 10^9 units 100,000 units have a value of 10^11 lamports; one lamport is 1e-7 bp.
  const near = (isBuy: boolean, solAmount: number) =>
    impact({
      dex: 3,
      isBuy,
      solAmount,
      tokenAmount: 100_000,
      realSolReserves: 10 ** 15 + (isBuy ? solAmount : -solAmount),
      realTokenReserves: 10 ** 9 + (isBuy ? -100_000 : 100_000),
    })
  t.is(near(true, 10 ** 11 + 1), 1)
  t.is(near(true, 10 ** 11 - 1), 1) // -1e-7: within
  t.is(near(true, 10 ** 11 - 2), -1) // -2e-7: beyond
  t.is(near(false, 10 ** 11 - 2), 1)
  t.is(near(false, 10 ** 11 + 1), 1)
  t.is(near(false, 10 ** 11 + 2), -1)
})

test('rule 7: against a price before it, in SOL per whole token by the decimals of the row', (t) => {
  for (const dex of [4, 6, 7, 9] as DexId[]) {
    const at = (changes: Partial<Swap>, priceBefore: number) =>
      impact({ dex, ...changes }, { priceBefore })
    // 33 / 32 = 1.03125 of 1: 312.5, half away from zero on both sides.
    const half = { solAmount: 33_000, tokenAmount: 32_000 }
    t.is(at(half, 1), 313)
    t.is(at({ ...half, isBuy: false }, 1), -313)
    // 31 / 32: -312.5 for the buyer.
    t.is(at({ solAmount: 31_000, tokenAmount: 32_000 }, 1), -313)
    // 20 lamports a unit of 6 decimals are 0.02 SOL a token: 0.02 / 0.016 = 1.25.
    t.is(at({ quoteDecimals: 6 }, 0.016), 2500)
    // ... and of 12 decimals 20,000 SOL.
    t.is(at({ quoteDecimals: 12 }, 16_000), 2500)
    // Below half a bp: never 0.
    t.is(at({}, 20 / 1.00003), 1)
    t.is(at({}, 20 / 0.99997), -1)
    t.is(at({}, 20), 1)
    t.is(at({ isBuy: false }, 20), 1)
  }
})

test('rule 7: against a price before it, an impact within 1e-7 of 0 is +1', (t) => {
  const even = { dex: 7 as const, solAmount: 50_000, tokenAmount: 50_000 }
  // 1 / (1 + 1e-12): -1e-8 bp. 1 / (1 + 1e-9): -1e-5 bp.
  t.is(impact(even, { priceBefore: 1 + 1e-12 }), 1)
  t.is(impact(even, { priceBefore: 1 + 1e-9 }), -1)
  t.is(impact({ ...even, isBuy: false }, { priceBefore: 1 - 1e-12 }), 1)
  t.is(impact({ ...even, isBuy: false }, { priceBefore: 1 - 1e-9 }), -1)
})

test('rule 7: real reserves do not measure a concentrated pool', (t) => {
  t.is(impact({ dex: 7, realSolReserves: 0, realTokenReserves: 0 }), 2500)
})

test('rule 8: an impact larger than REST can show is stored in full', (t) => {
  // 20 against 0.0002: 100,000 times: 999,990,000 bp.
  t.is(impact({ dex: 7 }, { priceBefore: 0.0002 }), 999_990_000)
  // The same against a reserve of 0.0002 lamports a unit before the trade.
  t.is(impact({ dex: 3, realSolReserves: 1_000_200, realTokenReserves: 950_000 }), 999_990_000)
})

test('past int64 an impact is held at its ends', (t) => {
  // One lamport over 2^63 - 1 units before it, 2^63 - 2 lamports for 10,000 of them.
  const huge = {
    solAmount: INT64_MAX - 1n,
    tokenAmount: 10_000,
    realSolReserves: INT64_MAX,
    realTokenReserves: INT64_MAX - 10_000n,
  }
  for (const dex of [2, 3] as DexId[]) t.is(impact({ dex, ...huge }), INT64_MAX)
  t.is(impact({ dex: 7 }, { priceBefore: 1e-300 }), INT64_MAX)
  t.is(impact({ dex: 7, isBuy: false }, { priceBefore: 1e-300 }), INT64_MIN)
})

test('beyond the precision of doubles the integers decide', (t) => {
  // A curve at 1 lamport a unit; 10,001 / 10,000 of 9 * 10^17 units is one bp exactly.
  const trade = {
    dex: 1 as const,
    virtualSolReserves: 2n ** 62n,
    virtualTokenReserves: 2n ** 62n,
    tokenAmount: 900_000_000_000_000_000n,
  }
  t.is(impact({ ...trade, solAmount: 900_090_000_000_000_000n }), 1)
  // One lamport less is under it and truncated to 0; as doubles both legs are the same as before.
  t.is(impact({ ...trade, solAmount: 900_089_999_999_999_999n }), 0)
  t.is(Number(900_089_999_999_999_999n), Number(900_090_000_000_000_000n))
})

test('a reference that is not a finite number above 0 gives null', (t) => {
  for (const priceBefore of [undefined, 0, -0, -1, Number.NaN, Infinity]) {
    t.is(impact({ dex: 7 }, { priceBefore }), null, `${priceBefore}`)
  }
  // Venue 1: no tokens, or no SOL, on the curve.
  t.is(impact({ dex: 1, virtualTokenReserves: 0 }), null)
  t.is(impact({ dex: 1, virtualSolReserves: 0 }), null)
  for (const dex of [2, 3, 5] as DexId[]) {
    // The legs undone leave no SOL, or less than none.
    t.is(impact({ dex, realSolReserves: 1_000_000 }), null)
    t.is(impact({ dex, realSolReserves: 1 }), null)
    // ... or no tokens: a sell of all that the pool then has.
    t.is(impact({ dex, isBuy: false, realTokenReserves: 50_000 }), null)
    t.is(impact({ dex, isBuy: false, realTokenReserves: 0 }), null)
  }
  // With the SOL that is not reported there is a reference again: 1 - 1 + 17.58 over 1,000,000.
  const drained = { dex: 2 as const, realSolReserves: 1_000_000, realTokenReserves: 950_000 }
  // 20 / 17,580 - 1 = -0.99886.
  t.is(impact(drained, { migratedAtMs: CORRECTED_FROM }), -9988)
})

const legs = fc.oneof(
  fc.integer({ min: 10_000, max: 10 ** 6 }),
  fc.integer({ min: 10 ** 12, max: 2 ** 52 }),
)

test('an impact is the fraction of the integers, also a hair next to the edges of rounding', (t) => {
  // A token leg as large as the reserve leaves sol / refSol: 1 + half / 20,000 is half a bp each.
  const nearEdges = fc
    .record({
      tokenAmount: legs,
      scale: fc.integer({ min: 1, max: 10 ** 10 }),
      half: fc.integer({ min: -19_990, max: 60_000 }),
      beside: fc.constantFrom(-1, 0, 1),
      isBuy: fc.boolean(),
    })
    .map(({ tokenAmount, scale, half, beside, isBuy }) => ({
      ...{ isBuy, tokenAmount, virtualTokenReserves: tokenAmount },
      ...{ virtualSolReserves: 20_000 * scale, solAmount: (20_000 + half) * scale + beside },
    }))
  const anywhere = fc.record({
    isBuy: fc.boolean(),
    solAmount: legs,
    tokenAmount: legs,
    virtualSolReserves: legs,
    virtualTokenReserves: legs,
  })
  fc.assert(
    fc.property(fc.oneof(nearEdges, anywhere), fc.constantFrom<DexId[]>(1, 2, 3), (drawn, dex) => {
      if (drawn.solAmount < 10_000) return
      const { isBuy, solAmount, tokenAmount } = drawn
      const refSol = BigInt(drawn.virtualSolReserves)
      const refToken = BigInt(drawn.virtualTokenReserves)
      // The reserves after the trade, from which venues 2 and 3 are reckoned back.
      const leg = isBuy ? 1n : -1n
      const real = {
        realSolReserves: refSol + leg * BigInt(solAmount),
        realTokenReserves: refToken - leg * BigInt(tokenAmount),
      }
      if (real.realSolReserves < 0n || real.realTokenReserves < 0n) return
      const swap = {
        ...drawn,
        dex,
        realSolReserves: int64(real.realSolReserves),
        realTokenReserves: int64(real.realTokenReserves),
      }
      const expected = byFractions({ ...SWAP, ...swap }, refSol, refToken, dex === 3)
      t.is(impact(swap), int64Saturated(expected))
    }),
    { numRuns: 3_000 },
  )
})
