/** Histories for the ledger's tests: hand-made swaps of one position, and random ones of one wallet. */
import fc from 'fast-check'
import { INT64_MAX, type Int64, int64 } from '../../../domain/amount.ts'
import { compareSwaps, type Swap } from '../../../domain/events/swap.ts'
import {
  applyToPosition,
  emptyPosition,
  type PositionState,
} from '../../../domain/ledger/position.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { DexId } from '../../../domain/venue.ts'
import { POOL, poolOf, SWAP } from '../../support/events/sample-event.ts'

/** 2026-08-01T00:00:00Z: swap `n` of a hand-made history comes n seconds later, in slot n. */
export const START_MS = Date.UTC(2026, 7, 1)

export function signatureOf(n: number): string {
  const bytes = new Uint8Array(64).fill(14)
  new DataView(bytes.buffer).setUint32(60, n)
  return encodeBase58(bytes)
}

function swapAt(n: number, changes: Partial<Swap>): Swap {
  const timestamp = START_MS + n * 1_000
  return { ...SWAP, slot: n, timestamp, signature: signatureOf(n), ...changes }
}

export function buy(n: number, tokens: Int64, lamports: Int64, changes: Partial<Swap> = {}): Swap {
  return swapAt(n, { isBuy: true, tokenAmount: tokens, solAmount: lamports, ...changes })
}

export function sell(n: number, tokens: Int64, lamports: Int64, changes: Partial<Swap> = {}): Swap {
  return swapAt(n, { isBuy: false, tokenAmount: tokens, solAmount: lamports, ...changes })
}

/** The fold of swaps in canonical order. */
export function foldAll(swaps: readonly Swap[], state = emptyPosition()): PositionState {
  for (const swap of swaps) applyToPosition(state, swap)
  return state
}

const quantities: fc.Arbitrary<Int64> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 1_000_000_000_000 }) },
  { weight: 1, arbitrary: fc.bigInt(1n, INT64_MAX).map(int64) },
  { weight: 1, arbitrary: fc.constant(INT64_MAX) },
)
const lamports: fc.Arbitrary<Int64> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  {
    weight: 12,
    arbitrary: quantities,
  },
)
/** Mostly none, sometimes small, rarely more than the leg. */
const fees: fc.Arbitrary<Int64> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 20 }) },
  { weight: 1, arbitrary: fc.constant(INT64_MAX) },
)

/** Few slots and transactions, indexes mostly 0, times that go with slots only roughly. */
const anySwap: fc.Arbitrary<Swap> = fc
  .record({
    slot: fc.integer({ min: 1, max: 12 }),
    transaction: fc.nat(3),
    blockTxIndex: fc.constantFrom(0, 0, 0, 1),
    ixIndex: fc.constantFrom(0, 0, 1, 2),
    dex: fc.integer({ min: 1, max: 3 }),
    mint: fc.nat(1),
    isBuy: fc.boolean(),
    solAmount: lamports,
    tokenAmount: quantities,
    transferFeeIn: fees,
    transferFeeOut: fees,
    quoteDecimals: fc.constantFrom(6, 9),
    skewMs: fc.integer({ min: -4_000_000, max: 4_000_000 }),
  })
  .map(({ transaction, mint, dex, skewMs, ...rest }) => ({
    ...SWAP,
    ...rest,
    signature: signatureOf(rest.slot * 4 + transaction),
    dex: dex as DexId,
    tokenAddress: poolOf(mint),
    pairAddress: POOL,
    timestamp: START_MS + rest.slot * 1_000_000 + skewMs,
  }))

/** A wallet's swaps at distinct positions, in canonical order, over two mints. */
export const walletHistories: fc.Arbitrary<Swap[]> = fc
  .array(anySwap, { minLength: 1, maxLength: 60, size: 'max' })
  .map(inOrder)

/** A position's swaps, without uncovered sells and buys of no tokens, sold out at the end. */
export const soldOutHistories: fc.Arbitrary<Swap[]> = fc
  .array(
    fc.record({ isBuy: fc.boolean(), share: fc.nat(100), tokens: quantities, solAmount: lamports }),
    { minLength: 1, maxLength: 40, size: 'max' },
  )
  .map((trades) => {
    const swaps: Swap[] = []
    let balance = 0n
    for (const { isBuy, share, tokens, solAmount } of trades) {
      const sold = (balance * BigInt(share)) / 100n
      if (!isBuy && (sold === 0n || sold > INT64_MAX)) continue
      const quantity = isBuy ? BigInt(tokens) : sold
      balance += isBuy ? quantity : -quantity
      swaps.push((isBuy ? buy : sell)(swaps.length + 1, int64(quantity), solAmount))
    }
    for (; balance > 0n; balance -= BigInt(swaps.at(-1)!.tokenAmount)) {
      swaps.push(sell(swaps.length + 1, int64(balance < INT64_MAX ? balance : INT64_MAX), 77))
    }
    return swaps
  })

/** Canonical order, each position once. */
export function inOrder(swaps: readonly Swap[]): Swap[] {
  return swaps
    .toSorted(compareSwaps)
    .filter((swap, index, all) => index === 0 || compareSwaps(all[index - 1]!, swap) < 0)
}
