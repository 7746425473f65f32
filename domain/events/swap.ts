/**
 * A swap: one executed trade in one pool. Read this file first.
 *
 * Laws: canonical order is total over distinct identities; identity makes two deliveries the same swap, even if other
 * fields differ. Both are binding everywhere (docs/semantics.md#canonical-order, docs/semantics.md#identity-of-a-swap).
 * Fields are the interface's, in camelCase; reserves are those AFTER the trade.
 */
import { executedPrice, type Int64, powerOfTen, TOKEN_DECIMALS_MAX } from '../amount.ts'
import { AGENT_TRADE, type DexId, DUST_BASE_UNITS } from '../venue.ts'

export type Swap = {
  /** Base58 of 64 bytes, stored verbatim. */
  signature: string
  /** A safe integer, as are timestamp and blockTxIndex: the ingest contract refuses more. */
  slot: number
  /** Unix ms. */
  timestamp: number
  /** The mint that is not SOL. */
  tokenAddress: string
  pairAddress: string
  /** The trader's wallet. */
  user: string
  isBuy: boolean
  dex: DexId
  /** Lamports that the pool received (buy) or sent (sell). */
  solAmount: Int64
  /** Token base units that the pool sent (buy) or received (sell); never 0. */
  tokenAmount: Int64
  fee: Int64
  feeBps: number
  creatorFee: Int64
  creatorFeeBps: number
  /** Decimals of the token itself, despite the name. Those of SOL are 9, always. */
  quoteDecimals: number
  virtualSolReserves: Int64
  virtualTokenReserves: Int64
  realSolReserves: Int64
  realTokenReserves: Int64
  transferFeeIn: Int64
  transferFeeOut: Int64
  cashback: Int64
  cashbackBps: number
  blockTxIndex: number
  ixIndex: number
  timeSource: number
  agentTrade: number
  /** SOL per whole token as the venue published it; undefined when it published no price. */
  poolPrice: number | undefined
  /** SOL per whole token before and after the trade (concentrated liquidity). */
  priceBefore: number | undefined
  priceAfter: number | undefined
  /**
   * Lamports that the pool counts into its price in addition to its reported reserve, as the venue states them with the swap;
   * undefined when it states none. They take precedence over the venue's constant.
   */
  virtualQuoteReserves: Int64 | undefined
  /**
   * Basis points of the fees of protocol and creator that the trader pays outside the legs, of the SOL leg without the pool's fee,
   * each rounded up (domain/market/outside-fees.ts); undefined where the source does not state them. Other venues state theirs
   * as `feeBps` and `creatorFeeBps`.
   */
  outsideProtocolBps: number | undefined
  outsideCreatorBps: number | undefined
  /** Base58 of 32 bytes: the block that it happened in; undefined where its source does not state it. */
  blockhash: string | undefined
}

/** Values of the fields of a swap that its source does not give. */
export const SWAP_DEFAULTS = {
  fee: 0,
  feeBps: 0,
  creatorFee: 0,
  creatorFeeBps: 0,
  virtualSolReserves: 0,
  virtualTokenReserves: 0,
  realSolReserves: 0,
  realTokenReserves: 0,
  transferFeeIn: 0,
  transferFeeOut: 0,
  cashback: 0,
  cashbackBps: 0,
  blockTxIndex: 0,
  ixIndex: 0,
  timeSource: 0,
  agentTrade: 0,
  poolPrice: undefined,
  priceBefore: undefined,
  priceAfter: undefined,
  virtualQuoteReserves: undefined,
  outsideProtocolBps: undefined,
  outsideCreatorBps: undefined,
} as const

/** The position of a swap or a pool event on the chain, which orders it in its pool. */
export type ChainPosition = { slot: number; blockTxIndex: number; ixIndex: number }

/** Sort key of canonical order. */
export type SwapOrderKey = Pick<
  Swap,
  | 'slot'
  | 'blockTxIndex'
  | 'ixIndex'
  | 'dex'
  | 'isBuy'
  | 'signature'
  | 'pairAddress'
  | 'user'
  | 'solAmount'
  | 'tokenAmount'
>

const order = (a: string | Int64, b: string | Int64): number => (a < b ? -1 : a > b ? 1 : 0)

export function compareChainPositions(a: ChainPosition, b: ChainPosition): number {
  return a.slot - b.slot || a.blockTxIndex - b.blockTxIndex || a.ixIndex - b.ixIndex
}

/** Whether `chainPosition` lies between two others, both ends included. */
export function liesBetween(
  chainPosition: ChainPosition,
  from: ChainPosition,
  to: ChainPosition,
): boolean {
  return (
    compareChainPositions(chainPosition, from) >= 0 && compareChainPositions(chainPosition, to) <= 0
  )
}

/**
 * Canonical order: slot, block_tx_index, ix_index, dex; then buys before sells, signature, pair and
 * user as bytes (base58 is ASCII, so code units are bytes), then the two amounts as integers.
 */
export function compareSwaps(a: SwapOrderKey, b: SwapOrderKey): number {
  return (
    compareChainPositions(a, b) ||
    a.dex - b.dex ||
    Number(b.isBuy) - Number(a.isBuy) ||
    order(a.signature, b.signature) ||
    order(a.pairAddress, b.pairAddress) ||
    order(a.user, b.user) ||
    order(a.solAmount, b.solAmount) ||
    order(a.tokenAmount, b.tokenAmount)
  )
}

/** Whether two swaps have the same identity; cheaper than two texts when signatures differ. */
export function isSameSwap(a: Swap, b: Swap): boolean {
  return (
    a.signature === b.signature &&
    a.dex === b.dex &&
    a.ixIndex === b.ixIndex &&
    a.pairAddress === b.pairAddress &&
    a.user === b.user &&
    a.isBuy === b.isBuy &&
    a.solAmount === b.solAmount &&
    a.tokenAmount === b.tokenAmount
  )
}

/** Dust for the price impact: either leg is below DUST_BASE_UNITS. */
export function isDust(swap: Swap): boolean {
  return swap.solAmount < DUST_BASE_UNITS || swap.tokenAmount < DUST_BASE_UNITS
}

/**
 * Base units of a token from which a trade may set a price. One whole token is enough, so that tokens of few
 * decimals have prices.
 */
export function pricedTokensMin(quoteDecimals: number): number {
  return Math.min(DUST_BASE_UNITS, powerOfTen(quoteDecimals))
}

/** The same by decimals from 0 on, as statements take it. */
export const PRICED_TOKENS_MIN: readonly number[] = Array.from(
  { length: TOKEN_DECIMALS_MAX + 1 },
  (_, decimals) => pricedTokensMin(decimals),
)

/** Dust for prices: `sol_amount < 10,000 or token_amount < min(10,000, 10^quote_decimals)`. */
export function isDustForPrice(
  swap: Pick<Swap, 'solAmount' | 'tokenAmount' | 'quoteDecimals'>,
): boolean {
  return swap.solAmount < DUST_BASE_UNITS || swap.tokenAmount < pricedTokensMin(swap.quoteDecimals)
}

/** Whether the swap may set a price: neither dust for prices nor a trade of the venue's own agent. */
export function setsPrice(swap: Swap): boolean {
  return swap.agentTrade !== AGENT_TRADE && !isDustForPrice(swap)
}

/** Executed SOL per whole token; null where the swap sets no price. */
export function pricedAt(swap: Swap): number | null {
  if (!setsPrice(swap)) return null
  return executedPrice(swap.solAmount, swap.tokenAmount, swap.quoteDecimals)
}
