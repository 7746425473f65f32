// The bytes of a state: a round trip is lossless, and broken bytes are refused.

import test from 'ava'
import fc from 'fast-check'
import type { SwapOrderKey } from '../../../../domain/events/swap.ts'
import { emptyPosition, type PositionState } from '../../../../domain/ledger/position.ts'
import { packState, unpackState } from '../../../../workers/ledger/rows/packed-position.ts'
import {
  buy,
  foldAll,
  sell,
  signatureOf,
  walletHistories,
} from '../../../domain/ledger/histories.ts'
import { lotsOf } from '../../../domain/ledger/stored-chunks.ts'

test('round-trips an empty position', (t) => {
  t.deepEqual(unpackState(packState(emptyPosition())), emptyPosition())
})

test('round-trips every field of a state, the lots too', (t) => {
  fc.assert(
    fc.property(walletHistories, (swaps) => {
      const state = foldAll(swaps.map((swap) => ({ ...swap, tokenAddress: 'one mint' })))
      const restored = unpackState(packState(state))
      t.deepEqual({ ...restored, ...comparable(restored) }, { ...state, ...comparable(state) })
      t.is(restored.hours.size, 0)
      t.is(restored.lots.cost, state.lots.cost)
      t.is(restored.lots.first, state.lots.first)
    }),
    { numRuns: 200 },
  )
})

const comparable = ({ last, lots, slotTransactions }: PositionState) => ({
  last: last && positionOf(last),
  lots: lotsOf(lots),
  slotTransactions: Object.fromEntries(slotTransactions ?? []),
  hours: undefined,
})

/** The newest swap is packed as its order key only. */
const positionOf = (swap: SwapOrderKey): unknown[] => [
  swap.slot,
  swap.blockTxIndex,
  swap.ixIndex,
  swap.dex,
  swap.isBuy,
  swap.signature,
  swap.pairAddress,
  swap.user,
  swap.solAmount,
  swap.tokenAmount,
]

test('the bytes do not depend on the order in which transactions were remembered', (t) => {
  const [one, two] = [1, 2].map((n) => ({ slot: 7, signature: signatureOf(n) }))
  const state = foldAll([buy(7, 10, 10, one), buy(7, 10, 10, two)])
  const other = unpackState(packState(state))
  const transactions = [...(state.slotTransactions ?? [])]
  other.slotTransactions = new Map(transactions.toReversed())
  t.is(other.slotTransactions.size, 2)
  t.not([...other.slotTransactions.keys()][0], transactions[0]?.[0])
  t.deepEqual(packState(other), packState(state))
})

test('packs a position apart from later changes of the state', (t) => {
  const state = foldAll([buy(1, 10, 10)])
  const packed = packState(state)
  const stored = Buffer.from(packed)
  const restored = unpackState(packed)
  foldAll([sell(2, 5, 7)], state)
  foldAll([sell(2, 9, 7)], restored)
  t.deepEqual(packed, stored)
  t.is(state.balance, 5n)
  t.is(restored.balance, 1n)
})

test('bytes of another version, too few or too many are refused', (t) => {
  const packed = packState(foldAll([buy(1, 10, 10)]))
  const other = Buffer.from(packed)
  other[0] = 9
  t.throws(() => unpackState(other), { message: /version 9/ })
  t.throws(() => unpackState(packed.subarray(0, -1)), { instanceOf: RangeError })
  t.throws(() => unpackState(Buffer.concat([packed, Buffer.alloc(3)])), { message: /3 bytes/ })
})
