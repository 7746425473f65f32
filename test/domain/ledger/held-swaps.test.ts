// The stored swaps that the row of a position holds are found for every lag of the ledger, also where swaps of a slot are
// equal in all that the row states.

import test from 'ava'
import fc from 'fast-check'
import type { Swap } from '../../../domain/events/swap.ts'
import { HeldSwaps, type PositionEnd } from '../../../domain/ledger/held-swaps.ts'
import { buy, signatureOf, walletHistories } from './histories.ts'

function endOf(held: readonly Swap[]): PositionEnd {
  const { slot, ixIndex, dex, isBuy, solAmount, tokenAmount } = held.at(-1)!
  return { swapCount: held.length, slot, ixIndex, dex, isBuy, solAmount, tokenAmount }
}

function heldOf(stored: readonly Swap[], end: PositionEnd): Swap[] {
  const held = new HeldSwaps<Swap>(end)
  return [...stored.filter((swap) => held.take(swap)), ...held.rest()]
}

const twins = [1, 2, 3, 4].map((n) => buy(7, 5, 50, { signature: signatureOf(n) }))

test('a row holds all stored swaps, or those of any moment before', (t) => {
  fc.assert(
    fc.property(walletHistories, fc.nat(60), (stored, cut) => {
      const held = stored.slice(0, 1 + (cut % stored.length))
      t.deepEqual(heldOf(stored, endOf(held)), held)
    }),
    { numRuns: 300 },
  )
  for (const count of [1, 2, 3, 4]) {
    const held = [buy(6, 1, 1), ...twins.slice(0, count)]
    t.deepEqual(heldOf([buy(6, 1, 1), ...twins, buy(8, 1, 1)], endOf(held)), held)
  }
})

test('a late swap that the ledger has not read is among the swaps up to the newest', (t) => {
  const [late, newest, newer] = [buy(3, 1, 1), buy(7, 2, 2), buy(7, 3, 3, { blockTxIndex: 9 })]
  const end = endOf([buy(2, 1, 1), newest])
  t.deepEqual(heldOf([buy(2, 1, 1), late, newest, newer], end), [buy(2, 1, 1), late, newest])
  // Equal ones: the last.
  t.deepEqual(heldOf([late, ...twins], endOf([twins[0]!, twins[1]!, twins[2]!, twins[3]!])), [
    late,
    ...twins.slice(0, 3),
  ])
  t.deepEqual(heldOf([late, ...twins], endOf([twins[0]!, ...twins, ...twins])), [late, ...twins])
})

test('without the newest swap, as when it was retracted, all of its slot is held', (t) => {
  const stored = [buy(2, 1, 1), buy(7, 3, 3), buy(8, 1, 1)]
  t.deepEqual(heldOf(stored, endOf([buy(2, 1, 1), buy(7, 4, 4)])), stored.slice(0, 2))
})
