/** Swaps as the public interface shows them, and the directions of their lists. */
import type { Int64 } from '../../domain/amount.ts'
import type { DexId } from '../../domain/venue.ts'

/** By canonical order: oldest or newest first. */
export type Order = 'asc' | 'desc'

/** A stored swap by the names of the public interface; int64s are canonical, amounts are lamports and base units. */
export type ServedSwap = {
  signature: string
  slot: number
  timestamp: number
  token_address: string
  pair_address: string
  user: string
  is_buy: boolean
  dex: DexId
  sol_amount: Int64
  token_amount: Int64
  fee: Int64
  fee_bps: number
  creator_fee: Int64
  creator_fee_bps: number
  pool_price: number
  price_impact_bps: Int64 | null
  quote_decimals: number
  virtual_sol_reserves: Int64
  virtual_token_reserves: Int64
  real_sol_reserves: Int64
  real_token_reserves: Int64
  transfer_fee_in: Int64
  transfer_fee_out: Int64
  cashback: Int64
  cashback_bps: number
  block_tx_index: number
  ix_index: number
  time_source: number
  agent_trade: number
}
