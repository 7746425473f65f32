// The proof of each sell: a hand-computed one, and for every history the sums of its proofs equal the position's
// figures.

import test from 'ava'
import fc from 'fast-check'
import type { LedgerSwap } from '../../../domain/ledger/position.ts'
import { PositionProof, type SellProof } from '../../../domain/ledger/proof.ts'
import { positionsOf } from '../../simulation/models/ledger-model.ts'
import { buy, foldAll, START_MS, sell, signatureOf, walletHistories } from './histories.ts'

test('a sell names the buys that it matched and the running average', (t) => {
  // Lots (10 for 100), (10 for 33): 15 are the first for 100 and 5 of the second for floor(16.5).
  const sold = sell(3, 15, 150)
  const [proof, ...more] = proveSells([buy(1, 10, 100), buy(2, 10, 33), sold])
  t.deepEqual(more, [])
  t.deepEqual(proof, {
    sell: sold,
    quantity: 15n,
    coveredQuantity: 15n,
    proceedsLamports: 150n,
    coveredProceedsLamports: 150n,
    matches: [
      {
        signature: signatureOf(1),
        timestamp: START_MS + 1_000,
        quantity: 10n,
        costLamports: 100n,
        lotQuantityBefore: 10n,
        lotCostBefore: 100n,
      },
      {
        signature: signatureOf(2),
        timestamp: START_MS + 2_000,
        quantity: 5n,
        costLamports: 16n,
        lotQuantityBefore: 10n,
        lotCostBefore: 33n,
      },
    ],
    realizedStrict: 34n,
    // floor(133 * 15 / 20) = 99.
    balanceBefore: 20n,
    basisBefore: 133n,
    averageCostLamports: 99n,
    realizedAdjusted: 51n,
  })
})

test('an uncovered sell matches no buy and realizes no profit', (t) => {
  const proofs = proveSells([
    buy(1, 9, 5, { transferFeeOut: 9 }),
    sell(2, 7, 70),
    buy(3, 2, 10),
    sell(4, 3, 10, { transferFeeIn: 1 }),
  ])
  t.deepEqual(proofs[0]?.matches, [])
  t.is(proofs[0]?.realizedStrict, 0n)
  t.is(proofs[0]?.coveredProceedsLamports, 0n)
  // 2 of 4 covered: 5 of 10 lamports against a cost of 10, of the buy that brought something.
  t.is(proofs[1]?.quantity, 4n)
  t.is(proofs[1]?.coveredProceedsLamports, 5n)
  t.deepEqual(
    proofs[1]?.matches.map((match) => match.signature),
    [signatureOf(3)],
  )
  t.is(proofs[1]?.realizedAdjusted, -5n)
})

test('open lots equal the remaining lots of the model after any sells', (t) => {
  fc.assert(
    fc.property(walletHistories, (all) => {
      const swaps = all.filter((swap) => swap.tokenAddress === all[0]!.tokenAddress)
      const proof = new PositionProof()
      for (const swap of swaps) proof.take(swap)
      const [model] = positionsOf(swaps).values()
      t.deepEqual(
        [...proof.openLots()].map((lot) => [lot.buy.signature, lot.quantity, lot.costLamports]),
        model!.lots.map((lot) => [lot.buy.signature, lot.qty, lot.cost]),
      )
      t.is(proof.openLotCount, model!.lots.length)
    }),
    { numRuns: 200 },
  )
})

test('proves sells that add up to the position, and match the model', (t) => {
  fc.assert(
    fc.property(walletHistories, (all) => {
      const swaps = all.filter((swap) => swap.tokenAddress === all[0]!.tokenAddress)
      const proofs = proveSells(swaps)
      const state = foldAll(swaps)
      const sum = (values: bigint[]): bigint => values.reduce((a, b) => a + b, 0n)
      t.is(sum(proofs.map((proof) => proof.realizedStrict)), state.realizedStrict)
      t.is(sum(proofs.map((proof) => proof.realizedAdjusted)), state.realizedAdjusted)
      for (const proof of proofs) {
        const cost = sum(proof.matches.map((match) => match.costLamports))
        t.is(sum(proof.matches.map((match) => match.quantity)), proof.coveredQuantity)
        t.is(proof.coveredProceedsLamports - cost, proof.realizedStrict)
        const out =
          proof.coveredQuantity === 0n
            ? 0n
            : (proof.basisBefore * proof.coveredQuantity) / proof.balanceBefore
        t.is(proof.averageCostLamports, out)
        t.is(proof.coveredProceedsLamports - out, proof.realizedAdjusted)
      }
      for (const each of proofs.flatMap((proof) => proof.matches)) {
        t.is(each.costLamports, (each.lotCostBefore * each.quantity) / each.lotQuantityBefore)
      }
      const [model] = positionsOf(swaps).values()
      t.deepEqual(
        proofs.map(({ sell: { signature }, matches }) => ({
          signature,
          matches: matches.map((match) => [match.signature, match.quantity, match.costLamports]),
        })),
        model!.sells.map(({ swap, consumed }) => ({
          signature: swap.signature,
          matches: consumed.map((each) => [each.buy.signature, each.qty, each.cost]),
        })),
      )
    }),
    { numRuns: 200 },
  )
})

/** Each sell of a position's whole history in canonical order. Throws when it is not in that order. */
function proveSells(swaps: readonly LedgerSwap[]): SellProof[] {
  const proof = new PositionProof()
  return swaps.flatMap((swap) => proof.take(swap) ?? [])
}
