// Invariants of every history: conservation, the same bytes for any split into batches, and the naive model's figures
// in all three modes.

import test from 'ava'
import fc from 'fast-check'
import type { Swap } from '../../../domain/events/swap.ts'
import { applyToPosition, emptyPosition } from '../../../domain/ledger/position.ts'
import { packState, unpackState } from '../../../workers/ledger/rows/packed-position.ts'
import {
  foldAll,
  inOrder,
  soldOutHistories,
  walletHistories,
} from '../../domain/ledger/histories.ts'
import { bothOf, sumOfHours } from '../../domain/ledger/judge.ts'
import { lotsOf } from '../../domain/ledger/stored-chunks.ts'

const positionHistories = walletHistories.map((swaps) =>
  swaps.filter((swap) => swap.tokenAddress === swaps[0]!.tokenAddress),
)

test('after every swap lots add up to the balance, and a balance of 0 has no cost', (t) => {
  fc.assert(
    fc.property(positionHistories, (swaps) => {
      const state = emptyPosition()
      for (const swap of swaps) {
        applyToPosition(state, swap)
        const lots = lotsOf(state.lots)
        const sum = (values: bigint[]): bigint => values.reduce((a, b) => a + b, 0n)
        t.is(sum(lots.map((lot) => lot.quantity)), state.balance)
        t.is(sum(lots.map((lot) => lot.cost)), state.lots.cost)
        t.is(state.lots.quantity, state.balance)
        t.true(lots.every((lot) => lot.quantity > 0n && lot.cost >= 0n))
        t.true(state.basis >= 0n)
        if (state.balance === 0n) t.deepEqual([lots, state.basis, state.lots.cost], [[], 0n, 0n])
      }
    }),
    { numRuns: 200 },
  )
})

test('realizes the same in all modes for a position that is sold out and never uncovered', (t) => {
  fc.assert(
    fc.property(soldOutHistories, (swaps) => {
      const state = foldAll(swaps)
      const raw = state.sellsLamports - state.buysLamports
      t.is(state.balance, 0n)
      t.is(state.uncoveredQuantity, 0n)
      t.deepEqual([state.realizedStrict, state.realizedAdjusted], [raw, raw])
    }),
    { numRuns: 200 },
  )
})

test('proceeds are realized or uncovered, and costs are released or retained, to the lamport', (t) => {
  fc.assert(
    fc.property(positionHistories, (swaps) => {
      const state = foldAll(swaps)
      const lotCosts = swaps
        .filter((swap) => swap.isBuy && swap.tokenAmount > swap.transferFeeOut)
        .reduce((sum, swap) => sum + BigInt(swap.solAmount), 0n)
      const realizedProceeds = state.sellsLamports - state.uncoveredLamports
      t.is(state.realizedStrict, realizedProceeds - (lotCosts - state.lots.cost))
      t.is(state.realizedAdjusted, realizedProceeds - (lotCosts - state.basis))
    }),
    { numRuns: 200 },
  )
})

test('a fold in two halves, packed in between, is the fold at once', (t) => {
  fc.assert(
    fc.property(positionHistories, fc.nat(60), (swaps, cut) => {
      const whole = foldAll(swaps)
      const firstHalf = foldAll(swaps.slice(0, cut))
      const secondHalf = foldAll(swaps.slice(cut), unpackState(packState(firstHalf)))
      t.deepEqual(packState(secondHalf), packState(whole))
      t.deepEqual(sumOfHours([firstHalf.hours, secondHalf.hours]), sumOfHours([whole.hours]))
    }),
    { numRuns: 300 },
  )
})

test('a wallet has the figures of the naive model in all three modes', (t) => {
  fc.assert(
    fc.property(walletHistories, (swaps) => {
      const { folded, expected } = bothOf(swaps)
      t.deepEqual(folded, expected)
    }),
    { numRuns: 300 },
  )
})

test('the random histories contain all cases', (t) => {
  const histories = fc.sample(walletHistories, { numRuns: 200, seed: 1 })
  const holds = (what: (swaps: Swap[]) => boolean): boolean => histories.some(what)
  const states = histories.flatMap((swaps) =>
    [...Map.groupBy(swaps, (swap) => swap.tokenAddress).values()].map((own) => foldAll(own)),
  )
  t.true(holds((swaps) => inOrder(swaps).length === swaps.length && swaps.length > 30))
  t.true(states.some((state) => state.arbitrageCount > 1))
  t.true(states.some((state) => state.coveredSellCount > 5 && state.uncoveredQuantity > 0n))
  t.true(states.some((state) => state.realizedStrict !== state.realizedAdjusted))
  t.true(states.some((state) => state.lots.next > 5 && state.lots.first > 2))
  t.true(states.some((state) => state.buyCount > state.lots.next))
  t.true(states.some((state) => state.balance > 2n ** 63n))
})
