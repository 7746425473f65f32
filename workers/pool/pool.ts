/**
 * One pool's state and how a swap or a pool event changes it: pure, synchronous, total.
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
import { executedPrice, type Int64, LAMPORTS_PER_SOL, reservePrice } from '../../domain/amount.ts'
import { changesLiquidity, type PoolEvent } from '../../domain/events/pool-event.ts'
import {
  type ChainPosition,
  compareChainPositions,
  compareSwaps,
  type Swap,
  type SwapOrderKey,
  setsPrice,
} from '../../domain/events/swap.ts'
import { unreportedLamports, venueOf } from '../../domain/venue.ts'
import { type ImpactContext, priceImpactBps } from './impact/impact.ts'

/** The canonically newest swap of a pool, as far as later swaps and readers need it. */
export type LastSwap = SwapOrderKey & {
  timestamp: number
  realSolReserves: Int64
  realTokenReserves: Int64
  correctedPoolPrice: number
  priceAfter: number | undefined
  virtualQuoteReserves: Int64 | undefined
  quoteDecimals: number
}

/** The migration that decides: the canonically first `migrated` event of the pool. */
export type Migration = ChainPosition & {
  signature: string
  timestamp: number
  /** The curve that it came from; an event that names no curve is not a migration. */
  fromPair: string
}

export type LastPrice = { price: number; timestamp: number }

export type PoolState = {
  readonly poolId: number
  readonly pairAddress: string
  readonly tokenAddress: string
  swapCount: number
  last: LastSwap | undefined
  /** Slot of the canonically first swap; undefined before any. */
  firstSlot: number | undefined
  /** The greatest time of a swap, which need not be the newest's; undefined before the first. */
  newestMs: number | undefined
  /** SOL per whole token by the canonically last priced swap, and its time. */
  lastPrice: LastPrice | undefined
  /** Chain positions of liquidity changes at or after the last swap. */
  liquidity: ChainPosition[]
  migration: Migration | undefined
}

/** A pool before its first event. */
export const emptyPool = (
  poolId: number,
  pairAddress: string,
  tokenAddress: string,
): PoolState => ({
  poolId,
  pairAddress,
  tokenAddress,
  swapCount: 0,
  last: undefined,
  firstSlot: undefined,
  newestMs: undefined,
  lastPrice: undefined,
  liquidity: [],
  migration: undefined,
})

/** A new swap with its computed values. `late`: its impact may depend on neighbours. */
export type AcceptedSwap = {
  swap: Swap
  state: PoolState
  poolPrice: number
  /** Executed SOL per whole token; null where the swap sets no price. */
  price: number | null
  priceImpactBps: Int64 | null
  isLate: boolean
  /** Tags of its wallet as bits (tagBits); set when it is folded, for good. */
  walletTags: number
}

export type PoolEventEffect =
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

/** Whether swaps of a venue are measured by the price before them. */
export function isMeasuredByPriceBefore(dex: number): boolean {
  return venueOf(dex).impactReference === 'price_before'
}

/** Whether the migration of a pool of this venue matters: to the SOL that the pool does not report. */
function remembersMigrations(dex: number): boolean {
  return venueOf(dex).unreportedSol !== undefined
}

/** Whether the impact of a swap depends on the swap before it. */
export function needsPredecessor(swap: Swap): boolean {
  return isMeasuredByPriceBefore(swap.dex) && swap.priceBefore === undefined
}

/** Whether a change of liquidity at `chainPosition` lies between two swaps, both ends included. */
export function liesBetween(
  chainPosition: ChainPosition,
  from: ChainPosition,
  to: ChainPosition,
): boolean {
  return (
    compareChainPositions(chainPosition, from) >= 0 && compareChainPositions(chainPosition, to) <= 0
  )
}

export function impactContext(state: PoolState, priceBefore: number | undefined): ImpactContext {
  return { migratedAtMs: state.migration?.timestamp, priceBefore }
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

/** Executed SOL per whole token, where the swap sets a price. */
function pricedAt(swap: Swap): number | null {
  if (!setsPrice(swap)) return null
  return executedPrice(swap.solAmount, swap.tokenAmount, swap.quoteDecimals)
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
