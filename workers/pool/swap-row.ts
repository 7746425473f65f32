/**
 * A stored swap and a `Swap`: the row that the pool actor's queries answer with, and whether a second
 * delivery says the same as the first.
 */
import type { Int64 } from '../../streams/amount.ts'
import type { Swap } from '../../streams/swap.ts'
import type { DexId } from '../../streams/venue.ts'
import { poolPrice } from './pool.ts'

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
    ...(row.price_before === null ? {} : { priceBefore: row.price_before }),
    ...(row.price_after === null ? {} : { priceAfter: row.price_after }),
  }
}

/** Fields outside the identity that a second delivery may contradict. */
const CONTRADICTABLE = [
  'slot',
  'timestamp',
  'tokenAddress',
  'fee',
  'feeBps',
  'creatorFee',
  'creatorFeeBps',
  'quoteDecimals',
  'virtualSolReserves',
  'virtualTokenReserves',
  'realSolReserves',
  'realTokenReserves',
  'transferFeeIn',
  'transferFeeOut',
  'cashback',
  'cashbackBps',
  'blockTxIndex',
  'timeSource',
  'agentTrade',
  'priceBefore',
  'priceAfter',
] as const satisfies (keyof Swap)[]

/** Whether two deliveries of one identity differ in what they say of it. */
export function isContradiction(first: Swap, second: Swap): boolean {
  return (
    CONTRADICTABLE.some((field) => first[field] !== second[field]) ||
    poolPrice(first) !== poolPrice(second)
  )
}
