/**
 * How a swap or a pool event changes the state of one pool (pool-state.ts): pure, synchronous, total.
 *
 * Law: the state after any arrival order is that of canonical order. A swap that is newer than all
 * before it is finished here; an older one (`late`) changes no state but the count and the first slot,
 * and its effect on its neighbours is settled in late.ts. State is changed in place: a failed batch drops all memory,
 * so nothing half-folded is ever used again.
 *
 *   order of events:   E1      E2           E3
 *   swaps:         P ------------- S ------------ T        E1, E2 lie between P and S: S has no
 *                                                          reference; E3 does the same to T
 */
import { type Int64, LAMPORTS_PER_SOL, reservePrice } from '../../domain/amount.ts'
import { changesLiquidity, type PoolEvent } from '../../domain/events/pool-event.ts'
import {
  type ChainPosition,
  compareChainPositions,
  compareSwaps,
  liesBetween,
  pricedAt,
  type Swap,
} from '../../domain/events/swap.ts'
import { unreportedLamports, venueOf } from '../../domain/venue.ts'
import { impactContext, priceImpactBps } from './impact/impact.ts'
import type { AcceptedSwap, LastSwap, Migration, PoolState } from './pool-state.ts'

type PoolEventEffect =
  | 'recorded'
  /** Lies at or before the newest swap: a stored swap may lose its reference. */
  | 'late liquidity change'
  /** Changes the correction of all the pool's swaps. */
  | 'migration changed'

/** The price that the venue published, else reserves by the venue's rule; 0 without reserves. */
export function poolPrice(swap: Swap): number {
  if (swap.poolPrice !== undefined) return swap.poolPrice
  return venueOf(swap.dex).kind === 'bonding_curve'
    ? reservePrice(swap.virtualSolReserves, swap.virtualTokenReserves, swap.quoteDecimals)
    : reservePrice(swap.realSolReserves, swap.realTokenReserves, swap.quoteDecimals)
}

/** The pool price with the SOL that the pool does not report. */
export function correctedPoolPrice(swap: Swap, migratedAtMs: number | undefined): number {
  const unreported = unreportedLamports(swap.dex, migratedAtMs, swap.virtualQuoteReserves)
  if (unreported === 0) return poolPrice(swap)
  return reservePrice(
    swap.realSolReserves,
    swap.realTokenReserves,
    swap.quoteDecimals,
    Number(unreported) / LAMPORTS_PER_SOL,
  )
}

/** Whether the migration of a pool of this venue matters: to the SOL that the pool does not report. */
function remembersMigrations(dex: number): boolean {
  return venueOf(dex).unreportedSol !== undefined
}

/** Folds a swap that is known to be new. */
export function applySwap(state: PoolState, swap: Swap): AcceptedSwap {
  const last = state.last
  const isLate = last !== undefined && compareSwaps(swap, last) < 0
  state.swapCount += 1
  state.firstSlot = Math.min(state.firstSlot ?? swap.slot, swap.slot)
  state.newestMs = Math.max(state.newestMs ?? 0, swap.timestamp)
  if (isLate) {
    const context = impactContext(state, swap.priceBefore)
    return accepted(state, swap, pricedAt(swap), priceImpactBps(swap, context), true)
  }
  const isUndisturbed =
    last !== undefined &&
    !state.liquidity.some((chainPosition) => liesBetween(chainPosition, last, swap))
  const priceBefore = swap.priceBefore ?? (isUndisturbed ? last.priceAfter : undefined)
  const impact = priceImpactBps(swap, impactContext(state, priceBefore))
  state.last = lastSwap(swap, state.migration?.timestamp)
  if (state.liquidity.length > 0) {
    state.liquidity = state.liquidity.filter(
      (chainPosition) => compareChainPositions(chainPosition, swap) >= 0,
    )
  }
  const price = pricedAt(swap)
  if (price !== null) state.lastPrice = { price, timestamp: swap.timestamp }
  return accepted(state, swap, price, impact, false)
}

function accepted(
  state: PoolState,
  swap: Swap,
  price: number | null,
  impact: Int64 | null,
  isLate: boolean,
): AcceptedSwap {
  return {
    swap,
    state,
    poolPrice: poolPrice(swap),
    price,
    priceImpactBps: impact,
    isLate,
    walletTags: 0,
  }
}

/** The part of a pool's state that its newest swap determines. */
export function lastSwap(swap: Swap, migratedAtMs: number | undefined): LastSwap {
  return {
    slot: swap.slot,
    blockTxIndex: swap.blockTxIndex,
    ixIndex: swap.ixIndex,
    dex: swap.dex,
    isBuy: swap.isBuy,
    signature: swap.signature,
    pairAddress: swap.pairAddress,
    user: swap.user,
    solAmount: swap.solAmount,
    tokenAmount: swap.tokenAmount,
    timestamp: swap.timestamp,
    realSolReserves: swap.realSolReserves,
    realTokenReserves: swap.realTokenReserves,
    correctedPoolPrice: correctedPoolPrice(swap, migratedAtMs),
    priceAfter: swap.priceAfter,
    virtualQuoteReserves: swap.virtualQuoteReserves,
    quoteDecimals: swap.quoteDecimals,
  }
}

/** Folds a pool event that is known to be new; all of a batch before the batch's swaps. */
export function applyPoolEvent(state: PoolState, event: PoolEvent): PoolEventEffect {
  if (
    event.event === 'migrated' &&
    event.fromPair !== undefined &&
    remembersMigrations(event.dex)
  ) {
    return applyMigration(state, event, event.fromPair)
  }
  if (!changesLiquidity(event)) return 'recorded'
  const toLast = state.last === undefined ? 1 : compareChainPositions(event, state.last)
  if (toLast >= 0) state.liquidity.push(chainPositionOf(event))
  return toLast <= 0 ? 'late liquidity change' : 'recorded'
}

function applyMigration(state: PoolState, event: PoolEvent, fromPair: string): PoolEventEffect {
  const known = state.migration
  if (known !== undefined && compareMigrations(known, event) <= 0) return 'recorded'
  const unreported = unreportedLamports(event.dex, known?.timestamp, undefined)
  state.migration = {
    ...chainPositionOf(event),
    signature: event.signature,
    timestamp: event.timestamp,
    fromPair,
  }
  const changes = unreportedLamports(event.dex, event.timestamp, undefined) !== unreported
  return changes && state.swapCount > 0 ? 'migration changed' : 'recorded'
}

function compareMigrations(a: Migration, b: PoolEvent): number {
  return compareChainPositions(a, b) || (a.signature < b.signature ? -1 : 1)
}

const chainPositionOf = (event: PoolEvent): ChainPosition => ({
  slot: event.slot,
  blockTxIndex: event.blockTxIndex,
  ixIndex: event.ixIndex,
})
