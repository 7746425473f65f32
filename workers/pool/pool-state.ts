/** The state of a pool, and a swap that it accepted: pool.ts folds them, impact/late.ts settles the neighbours of late ones. */
import type { Int64 } from '../../domain/amount.ts'
import type { ChainPosition, Swap, SwapOrderKey } from '../../domain/events/swap.ts'

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
