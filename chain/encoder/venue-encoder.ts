/**
 * The encoder in the folder of a venue: writers of its swaps and pool events. Types only.
 */
import type { PoolCall } from './pool-call.ts'
import type { SwapCall, VaultBalances } from './swap-call.ts'

export type PoolWriter = (call: PoolCall) => void
export type LiquidityWriter = (call: PoolCall, isAdded: boolean) => void

export type VenueEncoder = {
  readonly writeSwap: (call: SwapCall) => void
  readonly vaults: VaultBalances
  readonly create: PoolWriter
  /** Absent where the liquidity of a pool never changes: curves and launches. */
  readonly changeLiquidity?: LiquidityWriter
  /** A curve's move to a pool of this venue. */
  readonly migrate?: PoolWriter
  /** Pools whose first mint is the token, where these are not half of them. */
  readonly tokenFirstPercent?: number
  /** Pools of the venue hold no tokens that withhold a fee. */
  readonly refusesFees?: true
  /** Changes of its liquidity cannot be read without their events. */
  readonly needsLogsOfLiquidity?: true
}
