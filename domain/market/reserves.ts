/**
 * Reserves of a pool around a swap. A swap states those after it; those before it are these with its legs undone.
 */
import type { Int64 } from '../amount.ts'
import type { Swap } from '../events/swap.ts'
import { venueOf } from '../venue.ts'

/** Lamports and base units. */
export type Reserves = { readonly sol: bigint; readonly tokens: bigint }

/** The reserves that the price follows: virtual ones on a bonding curve, else the real ones. */
export function reservesAfter(swap: Swap): Reserves {
  const isVirtual = venueOf(swap.dex).kind === 'bonding_curve'
  return isVirtual
    ? exact(swap.virtualSolReserves, swap.virtualTokenReserves)
    : realReservesAfter(swap)
}

/** Balances of the pool. */
export function realReservesAfter(swap: Swap): Reserves {
  return exact(swap.realSolReserves, swap.realTokenReserves)
}

export function reservesBefore(swap: Swap): Reserves {
  const { sol, tokens } = reservesAfter(swap)
  return undone(swap, sol, tokens)
}

export function realReservesBefore(swap: Swap): Reserves {
  return undone(swap, swap.realSolReserves, swap.realTokenReserves)
}

/** Reserves with the legs of a swap undone: exact, and without a bigint where doubles are. */
export function withoutLegs(swap: Swap, sol: Int64, tokens: Int64): { sol: Int64; tokens: Int64 } {
  const { isBuy, solAmount, tokenAmount } = swap
  return {
    sol: sumOf(sol, isBuy ? -solAmount : solAmount),
    tokens: sumOf(tokens, isBuy ? tokenAmount : -tokenAmount),
  }
}

/** Exact; a bigint where it is no safe integer. */
export function sumOf(a: Int64, b: Int64): Int64 {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b
  return BigInt(a) + BigInt(b)
}

function undone(swap: Swap, sol: Int64, tokens: Int64): Reserves {
  const before = withoutLegs(swap, sol, tokens)
  return exact(before.sol, before.tokens)
}

const exact = (sol: Int64, tokens: Int64): Reserves => ({
  sol: BigInt(sol),
  tokens: BigInt(tokens),
})
