/**
 * Interface of every kind of pool: it fills a buy or a sell, and it reports reserves.
 *
 * Laws: all sums are exact integers, every rounding is in the pool's favour, and a trade that
 * cannot be filled in full returns undefined and leaves the pool unchanged. `Legs` are the amounts that the pool
 * received and sent; the prices are lamports per base unit.
 */

import type { Swap } from '../../../domain/events/swap.ts'
import { ceilDivide } from '../../../domain/numbers/ceil-divide.ts'

export type Legs = {
  readonly sol: bigint
  readonly token: bigint
  /** Pool fee in lamports, inside or outside the legs as the venue has it. */
  readonly fee: bigint
  /** Pool price around the trade, where the mechanism knows one apart from its reserves. */
  readonly priceBefore?: number
  readonly priceAfter?: number
}

export type LiquidityChange = { readonly sol: bigint; readonly token: bigint }

/** The reserve fields of a swap row. */
export type Reserves = Pick<
  Swap,
  'virtualSolReserves' | 'virtualTokenReserves' | 'realSolReserves' | 'realTokenReserves'
>

export interface Mechanism {
  readonly feeBps: number
  buy(solIn: bigint): Legs | undefined
  sell(tokenIn: bigint): Legs | undefined
  /** Marginal price in lamports per base unit. */
  price(): number
  /** How many lamports the pool is deep: trades are sized by it. */
  depthLamports(): number
  /** Writes the present reserves as the venue publishes them; fields it has none for stay. */
  report(reserves: Reserves): void
  /** True once everything is sold: the pool accepts no more trades. */
  isSoldOut?(): boolean
  /** Adds (permille > 0) or removes (< 0) liquidity at an unchanged price. */
  changeLiquidity?(permille: number): LiquidityChange | undefined
}

const BPS = 10_000n

/** `bps` of a quantity, rounded up: a fee as the pool takes it. */
export function shareUp(quantity: bigint, bps: number): bigint {
  return bps === 0 ? 0n : ceilDivide(quantity * BigInt(bps), BPS)
}

/** `bps` of a quantity, rounded down. */
export function shareDown(quantity: bigint, bps: number): bigint {
  return bps === 0 ? 0n : (quantity * BigInt(bps)) / BPS
}
