// Each rule of the ledger on histories small enough to be computed by hand: swap n is in slot n, n seconds after the
// start; quantities in base units, costs in lamports.

import test from 'ava'
import type { LotSlice } from '../../../domain/ledger/lots.ts'
import { applyToPosition } from '../../../domain/ledger/position.ts'
import { buy, foldAll, START_MS, sell, signatureOf } from './histories.ts'

const HOUR_MS = 3_600_000

test('a buy adds the tokens that arrive after the transfer fee, at the cost of the whole leg', (t) => {
  // 1,000 sent, 30 withheld on the way: 970 for 500 lamports.
  const state = foldAll([buy(1, 1_000, 500, { transferFeeOut: 30 })])
  t.is(state.balance, 970n)
  t.is(state.basis, 500n)
  t.is(state.lots.quantity, 970n)
  t.is(state.lots.cost, 500n)
  t.is(state.largestBuyLamports, 500n)
})

test('a buy of no tokens is counted, and is no lot, no basis and no flip', (t) => {
  // The fee is all of the first buy and more than all of the third.
  const state = foldAll([
    buy(1, 10, 100, { transferFeeOut: 10 }),
    buy(2, 50, 40),
    buy(9, 10, 200, { transferFeeOut: 12 }),
    sell(12, 50, 60),
  ])
  t.is(state.buyCount, 3)
  t.is(state.buysLamports, 340n)
  t.is(state.lots.next, 1)
  t.is(state.realizedStrict, 20n)
  t.is(state.realizedAdjusted, 20n)
  // From the buy at second 2, not from the empty one at second 9.
  t.is(state.fastestFlipMs, 10_000)
  const [hour] = state.hours.values()
  t.is(hour?.buyCount, 3)
  t.is(hour?.volumeLamports, 400n)
  t.is(hour?.realizedRaw, -280n)
})

test('a sell removes its transfer fee from the wallet too', (t) => {
  // 400 reached the pool, 100 were withheld: 500 of 1,000 left, half of the cost with them.
  const state = foldAll([buy(1, 1_000, 1_000), sell(2, 400, 700, { transferFeeIn: 100 })])
  t.is(state.balance, 500n)
  t.is(state.realizedStrict, 200n)
  t.is(state.realizedAdjusted, 200n)
  t.is(state.uncoveredQuantity, 0n)
})

test('an uncovered sell is raw flow only', (t) => {
  const state = foldAll([sell(1, 300, 50)])
  t.is(state.balance, 0n)
  t.is(state.realizedStrict, 0n)
  t.is(state.realizedAdjusted, 0n)
  t.is(state.sellsLamports, 50n)
  t.is(state.sellCount, 1)
  t.is(state.coveredSellCount, 0)
  t.is(state.winCount, 0)
  t.is(state.uncoveredQuantity, 300n)
  t.is(state.uncoveredLamports, 50n)
  t.is(state.fastestFlipMs, undefined)
  t.is(state.longestHoldMs, undefined)
  const [hour] = state.hours.values()
  t.is(hour?.realizedRaw, 50n)
  t.is(hour?.coveredSellCount, 0)
  t.is(hour?.best, undefined)
  t.is(hour?.worst, undefined)
})

test('a sell beyond the balance realizes the floor of its covered share', (t) => {
  // 100 of 300 covered: floor(1000 * 100 / 300) = 333 against a cost of 1,000; 667 are uncovered.
  const state = foldAll([buy(1, 100, 1_000), sell(2, 300, 1_000)])
  t.is(state.realizedStrict, -667n)
  t.is(state.realizedAdjusted, -667n)
  t.is(state.balance, 0n)
  t.is(state.basis, 0n)
  t.is(state.lots.cost, 0n)
  t.is(state.uncoveredQuantity, 200n)
  t.is(state.uncoveredLamports, 667n)
  t.is(state.coveredSellCount, 1)
  t.is(state.largestSellLamports, 1_000n)
})

test('strict consumes lots oldest first with floors, adjusted uses the average, and both end equal', (t) => {
  // Lots (3 for 10), (3 for 20).
  const state = foldAll([buy(1, 3, 10), buy(2, 3, 20)])
  // 1 for 5. Strict: floor(10 / 3) = 3, so +2, and (2 for 7) stays. Average: floor(30 / 6) = 5, so 0.
  applyToPosition(state, sell(3, 1, 5))
  t.is(state.realizedStrict, 2n)
  t.is(state.lots.cost, 27n)
  t.is(state.realizedAdjusted, 0n)
  t.is(state.basis, 25n)
  t.is(state.winCount, 0)
  // 3 for 30. Strict: 7 + floor(20 / 3) = 13, so +17. Average: floor(25 * 3 / 5) = 15, so +15.
  const slices: LotSlice[] = []
  applyToPosition(state, sell(4, 3, 30), slices)
  t.deepEqual(slices, [
    { ordinal: 0, quantity: 2n, cost: 7n },
    { ordinal: 1, quantity: 1n, cost: 6n },
  ])
  t.is(state.realizedStrict, 19n)
  t.is(state.lots.cost, 14n)
  t.is(state.realizedAdjusted, 15n)
  t.is(state.basis, 10n)
  t.is(state.winCount, 1)
  // The last 2 for 1: all that is left goes, 14 and 10. Raw: 5 + 30 + 1 - 30 = 6.
  applyToPosition(state, sell(5, 2, 1))
  t.is(state.realizedStrict, 6n)
  t.is(state.realizedAdjusted, 6n)
  t.is(state.sellsLamports - state.buysLamports, 6n)
  t.is(state.winCount, 1)
  t.is(state.balance, 0n)
})

test('counts a win by adjusted profit, even where strict loses', (t) => {
  // 10 for 100 and 10 for 20; 10 sold for 80: strict 80 - 100 = -20, adjusted 80 - 60 = +20.
  const state = foldAll([buy(1, 10, 100), buy(2, 10, 20), sell(3, 10, 80)])
  t.is(state.realizedStrict, -20n)
  t.is(state.realizedAdjusted, 20n)
  t.is(state.winCount, 1)
  const [hour] = state.hours.values()
  t.is(hour?.winCount, 1)
  t.is(hour?.best?.realizedLamports, 20n)
})

test('sums pass int64 and stay exact', (t) => {
  const most = 2n ** 63n - 1n
  const buys = [buy(1, most, most), buy(2, most, most), buy(3, most, most)]
  const state = foldAll([...buys, sell(4, most, most, { transferFeeIn: most })])
  t.is(state.balance, most)
  t.is(state.buysLamports, 3n * most)
  // 2 of 3 lots given up for the proceeds of one.
  t.is(state.realizedStrict, -most)
  t.is(state.realizedAdjusted, -most)
})

test('the fastest flip is from the newest buy, the longest hold from the oldest lot consumed', (t) => {
  // Sold at 12.5 s: 2.5 s after the newest buy. All of lot 1 (1 s) and half of lot 10 are consumed.
  const state = foldAll([
    buy(1, 10, 10),
    buy(10, 10, 10),
    sell(12, 15, 1, { timestamp: START_MS + 12_500 }),
  ])
  t.is(state.fastestFlipMs, 2_500)
  t.is(state.longestHoldMs, 11_500)
  // 17.5 s: 7.5 s after the newest buy and no faster; its lot is held for 7.5 s and no longer.
  applyToPosition(state, sell(13, 1, 1, { timestamp: START_MS + 17_500 }))
  t.is(state.fastestFlipMs, 2_500)
  t.is(state.longestHoldMs, 11_500)
  // 30 s: the rest of lot 10, 20 s old.
  applyToPosition(state, sell(14, 1, 1, { timestamp: START_MS + 30_000 }))
  t.is(state.longestHoldMs, 20_000)
})

test('timestamps that run backwards give a flip and a hold of 0, never less', (t) => {
  const state = foldAll([buy(10, 10, 10), sell(11, 10, 1, { timestamp: START_MS })])
  t.is(state.fastestFlipMs, 0)
  t.is(state.longestHoldMs, 0)
})

test('measures a hold from the oldest consumed lot by time, not by order of pushes', (t) => {
  // The lot of slot 2 is 8 s older than that of slot 1.
  const state = foldAll([
    buy(1, 1, 1, { timestamp: START_MS + 10_000 }),
    buy(2, 1, 1, { timestamp: START_MS + 2_000 }),
    sell(3, 2, 1, { timestamp: START_MS + 11_000 }),
  ])
  t.is(state.longestHoldMs, 9_000)
  t.is(state.fastestFlipMs, 9_000)
})

test('first and last trade and the decimals are those of the canonical ends', (t) => {
  const state = foldAll([
    buy(1, 1, 1, { timestamp: START_MS + 9_000, quoteDecimals: 9 }),
    buy(2, 1, 1, { timestamp: START_MS }),
    buy(3, 1, 1, { timestamp: START_MS + 5_000, quoteDecimals: 8 }),
  ])
  t.is(state.firstTradeMs, START_MS + 9_000)
  t.is(state.lastTradeMs, START_MS + 5_000)
  t.is(state.decimals, 8)
})

test('an arbitrage is a transaction with both sides, found where indexes are all 0', (t) => {
  // One slot without indexes: the buys of A, B and C come before the sells of A and B.
  const [a, b, c] = [1, 2, 3].map((n) => ({ slot: 7, signature: signatureOf(n) }))
  const state = foldAll([
    buy(7, 5, 1, a),
    buy(7, 5, 1, b),
    buy(7, 5, 1, c),
    sell(7, 5, 1, a),
    sell(7, 5, 1, b),
  ])
  t.is(state.transactionCount, 3)
  t.is(state.arbitrageCount, 2)
  // A second leg of A in the slot makes it neither another transaction nor twice an arbitrage.
  applyToPosition(state, sell(7, 5, 2, { ...b, dex: 2 }))
  applyToPosition(state, buy(8, 5, 1))
  t.is(state.transactionCount, 4)
  t.is(state.arbitrageCount, 2)
  t.is(state.slotTransactions, undefined)
})

test('one signature in two slots is two transactions', (t) => {
  // The sides lie in different slots, so neither transaction has both.
  const signature = signatureOf(9)
  const state = foldAll([buy(7, 5, 1, { signature }), sell(8, 5, 1, { signature })])
  t.is(state.transactionCount, 2)
  t.is(state.arbitrageCount, 0)
})

test('a round trip in two transactions is no arbitrage', (t) => {
  const state = foldAll([buy(7, 5, 1), sell(7, 5, 1, { signature: signatureOf(8) })])
  t.is(state.transactionCount, 2)
  t.is(state.arbitrageCount, 0)
})

test('determines best and worst sell by adjusted profit, and of equal ones by the earlier', (t) => {
  // 10 each at 10 a piece: +5, +5, -3, -3, and an uncovered 1,000 that is not judged.
  const sells = [sell(2, 10, 105), sell(3, 10, 105), sell(4, 10, 97), sell(5, 10, 97)]
  const state = foldAll([buy(1, 40, 400), ...sells, sell(6, 10, 1_000)])
  const [hour] = state.hours.values()
  t.is(hour?.best?.realizedLamports, 5n)
  t.is(hour?.best?.orderKey.slot, 2)
  t.is(hour?.worst?.realizedLamports, -3n)
  t.is(hour?.worst?.orderKey.slot, 4)
  t.is(hour?.sellCount, 5)
  t.is(hour?.coveredSellCount, 4)
})

test('a single covered sell is best and worst, with 0 as well', (t) => {
  const state = foldAll([buy(1, 1, 5), sell(2, 1, 5)])
  const [hour] = state.hours.values()
  t.is(hour?.best?.realizedLamports, 0n)
  t.is(hour?.worst?.realizedLamports, 0n)
  t.is(hour?.winCount, 0)
})

test('assigns cash flow, volume and counts of swaps to their hour', (t) => {
  const state = foldAll([
    buy(1, 10, 100),
    sell(2, 5, 80),
    sell(3, 5, 30, { timestamp: START_MS + HOUR_MS }),
    // Back in the first hour: timestamps may run backwards.
    buy(4, 10, 7),
  ])
  const [first, second, ...more] = state.hours.values()
  t.deepEqual(more, [])
  t.is(first?.hourMs, START_MS)
  t.is(first?.realizedRaw, -100n + 80n - 7n)
  t.is(first?.volumeLamports, 187n)
  t.is(first?.realizedStrict, 30n)
  t.is(first?.realizedAdjusted, 30n)
  t.is(first?.buyCount, 2)
  t.is(first?.transactionCount, 3)
  t.is(second?.hourMs, START_MS + HOUR_MS)
  t.is(second?.realizedRaw, 30n)
  t.is(second?.realizedStrict, -20n)
  t.is(second?.transactionCount, 1)
})

test('an hour is split where a segment of 1,000 swaps ends', (t) => {
  const state = foldAll(Array.from({ length: 1_001 }, (_, n) => buy(n, 1, 1)))
  t.deepEqual(
    [...state.hours.values()].map(({ hourMs, segment, buyCount }) => [hourMs, segment, buyCount]),
    [
      [START_MS, 0, 1_000],
      [START_MS, 1, 1],
    ],
  )
})

test('a swap that is not newer than the last is refused loudly', (t) => {
  const state = foldAll([buy(2, 1, 1)])
  t.throws(() => applyToPosition(state, buy(1, 1, 1)), { message: /not newer/ })
  t.throws(() => applyToPosition(state, buy(2, 1, 1)), { message: /not newer/ })
  t.is(state.swapCount, 1)
})
