// Swaps of few tokens in a few pools of several venues, at the edges of every window: minutes, quarters and
// four hours before the newest swap, which is of another token. Dust, agents and ties are common.

import type { Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Prng } from '../../../streams/simulator/prng.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from './sample-swap.ts'

export const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
export const MINUTE_MS = 60_000

/** Minutes before the newest at which swaps are placed. */
const AGES = [
  ...[0, 0, 1, 4, 5, 7, 8, 14, 15, 59, 60, 66, 68, 239, 240, 247, 359, 360],
  ...[400, 1_430, 1_439, 1_440, 1_500, 9_000],
]
export const TOKENS = 8
const POOLS_OF_TOKEN = 4

/** Token n has pools 4n to 4n + 3, pool p is on venue 1 + p % 10. */
export function randomMarket(prng: Prng, count: number): Swap[] {
  const one = <Value>(values: readonly Value[]): Value => values[prng.below(values.length)]!
  const swaps = Array.from({ length: count }, (_, n) => {
    const token = prng.below(TOKENS)
    const pool = token * POOLS_OF_TOKEN + prng.below(POOLS_OF_TOKEN)
    // The last token fell silent before the day began.
    const age = token === TOKENS - 1 ? 1_440 + prng.below(5_000) : one(AGES)
    return sampleSwap({
      signature: signatureOf(n),
      slot: 2_000_000 - age * 150 + prng.below(140),
      ixIndex: prng.below(3),
      timestamp: NEWEST_MS - age * MINUTE_MS - prng.below(31_000),
      tokenAddress: mint(token),
      pairAddress: pair(pool),
      user: trader(prng.below(7)),
      dex: ((pool % 10) + 1) as DexId,
      solAmount: one([1, 9_999, 20_000, 20_000, 30_000_000, 9_000_000_000, 2n ** 62n]),
      tokenAmount: one([9_999, 10_000, 70_001, 2n ** 60n]),
      realSolReserves: prng.below(1_000_000_000),
      quoteDecimals: 6,
      agentTrade: one([0, 0, 0, 0, 2]),
      isBuy: prng.chance(0.5),
    })
  })
  const newest = sampleSwap({
    signature: signatureOf(count),
    slot: 2_000_500,
    timestamp: NEWEST_MS,
    tokenAddress: mint(99),
    pairAddress: pair(99),
    user: trader(99),
    dex: 3,
  })
  return [...swaps, newest]
}

/** Swaps of the n whole minutes that end with the newest swap's. */
export function inWindow(swaps: readonly Swap[], minutes: number): Swap[] {
  const end = NEWEST_MS - (NEWEST_MS % MINUTE_MS) + MINUTE_MS
  return swaps.filter(({ timestamp }) => timestamp >= end - minutes * MINUTE_MS)
}

export const volumeOf = (swaps: readonly Swap[]): bigint =>
  swaps.reduce((sum, { solAmount }) => sum + BigInt(solAmount), 0n)
