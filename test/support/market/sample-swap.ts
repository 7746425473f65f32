// Swaps of a small world: few addresses, slots and indexes, so that ties of every kind are common.

import fc from 'fast-check'
import type { Swap } from '../../../domain/events/swap.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { DexId } from '../../../domain/venue.ts'
import { SWAP } from '../events/sample-event.ts'

const numbered = (kind: number, length: number, n: number): string => {
  const bytes = new Uint8Array(length).fill(kind)
  new DataView(bytes.buffer).setUint32(length - 4, n)
  return encodeBase58(bytes)
}

export const mint = (n: number): string => numbered(11, 32, n)
export const pair = (n: number): string => numbered(12, 32, n)
export const trader = (n: number): string => numbered(13, 32, n)
export const signatureOf = (n: number): string => numbered(14, 64, n)

/** Two pools of each mint. */
export const mintOfPair = (n: number): string => mint(Math.floor(n / 2))

/** 54,000 slots are a chunk: these lie in three. */
const SLOTS = [100, 101, 54_100, 54_101, 162_000, 162_001]
const FIRST_MS = Date.UTC(2026, 6, 1)

export function sampleSwap(changes: Partial<Swap> = {}): Swap {
  return { ...SWAP, signature: signatureOf(0), ...changes }
}

const tiedSwap: fc.Arbitrary<Swap> = fc
  .record({
    signature: fc.nat(5),
    slot: fc.constantFrom(...SLOTS),
    blockTxIndex: fc.nat(1),
    ixIndex: fc.nat(1),
    dex: fc.integer({ min: 1, max: 3 }),
    pair: fc.nat(5),
    user: fc.nat(3),
    isBuy: fc.boolean(),
    solAmount: fc.constantFrom(1, 2, 60_000_000_000),
    tokenAmount: fc.constantFrom(1, 2),
    skewMs: fc.integer({ min: -2_000, max: 2_000 }),
  })
  .map(({ signature, pair: n, user, dex, skewMs, ...rest }) =>
    sampleSwap({
      ...rest,
      signature: signatureOf(signature),
      dex: dex as DexId,
      pairAddress: pair(n),
      tokenAddress: mintOfPair(n),
      user: trader(user),
      // Times follow slots only roughly, and may run backwards.
      timestamp: FIRST_MS + rest.slot * 400 + skewMs,
    }),
  )

/** Swaps of distinct identity, many of them tied. */
export const tiedSwaps = (count: { minLength: number; maxLength: number }) =>
  fc.uniqueArray(tiedSwap, {
    ...count,
    selector: (swap) =>
      [
        swap.signature,
        swap.slot,
        swap.blockTxIndex,
        swap.ixIndex,
        swap.dex,
        swap.pairAddress,
        swap.user,
        swap.isBuy,
        swap.solAmount,
        swap.tokenAmount,
      ].join(),
  })
