/** The two ends of a listing: a mint with its live pools, and a pool with its mint. Each names the other. */

import type { DexId } from '../../domain/venue.ts'
import type { Holdings } from './cast/holdings.ts'
import type { Wallet } from './cast/wallets.ts'
import type { Mechanism } from './venues/mechanism.ts'

export type Mint = {
  readonly tokenAddress: string
  readonly creator?: Wallet
  readonly decimals: number
  readonly symbol: string
  readonly name: string
  /** Base units. */
  readonly supply?: bigint
  sector?: string
  /** Token-2022 transfer fee, 0 for most. */
  readonly transferFeeBps: number
  readonly holdings: Holdings
  /** Lamports per base unit that the crowd thinks right; undefined on curves: only hype there. */
  anchorPrice?: number
  /** The live pools of this mint. */
  readonly pools: Pool[]
  /** Whether its token line has been sent. */
  isPublished: boolean
}

export type Pool = {
  readonly pairAddress: string
  readonly dex: DexId
  readonly mint: Mint
  readonly mechanism: Mechanism
  /** Outside the legs; venues 1 and 8. */
  readonly creatorFeeBps: number
  /** Cashback that traders get at times; some pools of venue 2. */
  readonly cashbackBps: number
  readonly openingPrice: number
  readonly openingDepth: number
  /** Share of buys while the price is the right one. */
  readonly appetite: number
}
