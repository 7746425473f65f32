/**
 * Swaps, pool events and retractions as their tables hold them, with the addresses that they refer to, and their form as
 * events.
 */
import type { Int64 } from '../amount.ts'
import type { DexId } from '../venue.ts'
import type { PoolEvent, PoolEventKind } from './pool-event.ts'
import type { Retraction } from './retraction.ts'
import type { Swap } from './swap.ts'

export type SwapRow = {
  slot: number
  block_tx_index: number
  ix_index: number
  timestamp_ms: number
  dex: number
  is_buy: boolean
  signature: string
  pair_address: string
  token_address: string
  user_address: string
  pool_id: number
  sol_amount: Int64
  token_amount: Int64
  fee: Int64
  fee_bps: number
  creator_fee: Int64
  creator_fee_bps: number
  quote_decimals: number
  virtual_sol_reserves: Int64
  virtual_token_reserves: Int64
  real_sol_reserves: Int64
  real_token_reserves: Int64
  transfer_fee_in: Int64
  transfer_fee_out: Int64
  cashback: Int64
  cashback_bps: number
  time_source: number
  agent_trade: number
  pool_price: number
  price_before: number | null
  price_after: number | null
  price_impact_bps: Int64 | null
  virtual_quote_reserves: Int64 | null
  outside_protocol_bps: number | null
  outside_creator_bps: number | null
  blockhash: string | null
}

/** The swap as it came in; its pool price is the stored one, published or not. */
export function swapOfRow(row: SwapRow): Swap {
  return {
    signature: row.signature,
    slot: row.slot,
    timestamp: row.timestamp_ms,
    tokenAddress: row.token_address,
    pairAddress: row.pair_address,
    user: row.user_address,
    isBuy: row.is_buy,
    dex: row.dex as DexId,
    solAmount: row.sol_amount,
    tokenAmount: row.token_amount,
    fee: row.fee,
    feeBps: row.fee_bps,
    creatorFee: row.creator_fee,
    creatorFeeBps: row.creator_fee_bps,
    quoteDecimals: row.quote_decimals,
    virtualSolReserves: row.virtual_sol_reserves,
    virtualTokenReserves: row.virtual_token_reserves,
    realSolReserves: row.real_sol_reserves,
    realTokenReserves: row.real_token_reserves,
    transferFeeIn: row.transfer_fee_in,
    transferFeeOut: row.transfer_fee_out,
    cashback: row.cashback,
    cashbackBps: row.cashback_bps,
    blockTxIndex: row.block_tx_index,
    ixIndex: row.ix_index,
    timeSource: row.time_source,
    agentTrade: row.agent_trade,
    poolPrice: row.pool_price,
    priceBefore: row.price_before ?? undefined,
    priceAfter: row.price_after ?? undefined,
    virtualQuoteReserves: row.virtual_quote_reserves ?? undefined,
    outsideProtocolBps: row.outside_protocol_bps ?? undefined,
    outsideCreatorBps: row.outside_creator_bps ?? undefined,
    blockhash: row.blockhash ?? undefined,
  }
}

export type PoolEventRow = {
  slot: number
  block_tx_index: number
  ix_index: number
  timestamp_ms: number
  dex: number
  event: string
  signature: string
  creator: string | null
  from_pair: string | null
  sol_amount: Int64 | null
  token_amount: Int64 | null
  pair_address: string
  token_address: string
  blockhash: string | null
}

export function poolEventOfRow(row: PoolEventRow): PoolEvent {
  return {
    event: row.event as PoolEventKind,
    signature: row.signature,
    slot: row.slot,
    timestamp: row.timestamp_ms,
    pairAddress: row.pair_address,
    tokenAddress: row.token_address,
    dex: row.dex as DexId,
    blockTxIndex: row.block_tx_index,
    ixIndex: row.ix_index,
    ...(row.creator === null ? {} : { creator: row.creator }),
    ...(row.from_pair === null ? {} : { fromPair: row.from_pair }),
    ...(row.sol_amount === null ? {} : { solAmount: row.sol_amount }),
    ...(row.token_amount === null ? {} : { tokenAmount: row.token_amount }),
    ...(row.blockhash === null ? {} : { blockhash: row.blockhash }),
  }
}

/** `blockhash`: '' where the retraction names no block. */
export type RetractionRow = { slot: number; blockhash: string }

export function retractionOfRow({ slot, blockhash }: RetractionRow): Retraction {
  return blockhash === '' ? { slot } : { slot, blockhash }
}
