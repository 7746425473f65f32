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
  return undone(swap, reservesAfter(swap))
}

export function realReservesBefore(swap: Swap): Reserves {
  return undone(swap, realReservesAfter(swap))
}

function undone({ isBuy, solAmount, tokenAmount }: Swap, { sol, tokens }: Reserves): Reserves {
  const sign = isBuy ? 1n : -1n
  return { sol: sol - sign * BigInt(solAmount), tokens: tokens + sign * BigInt(tokenAmount) }
}

const exact = (sol: Int64, tokens: Int64): Reserves => ({
  sol: BigInt(sol),
  tokens: BigInt(tokens),
})
