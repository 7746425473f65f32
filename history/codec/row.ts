/**
 * A swap as sealed history holds it: the columns of table `swap`, under their names. Pure.
 *
 * Two columns differ. `signature` is the 64 bytes, because they are three quarters of a block and most readers compare
 * them only. `blockhash` is a number: 0 for none, n for the nth block of the row's slot, whose hashes the posting of the
 * slot lists once. Rows of a block are of one pool and many slots, so a hash of 32 bytes in the block would be paid
 * by nearly every row. Decision: docs/decisions/0098-history-is-packed-into-blocks.md
 */
import type { SwapRow } from '../../domain/events/stored-row.ts'

export type SealedSwap = Omit<
  SwapRow,
  'signature' | 'pair_address' | 'token_address' | 'user_address' | 'blockhash'
> & {
  wallet_id: number
  wallet_tags: number | null
  signature: Uint8Array
  blockhash: number
}

export const SIGNATURE_BYTES = 64

/** Kinds of integer columns with the least and the greatest value that table `swap` holds. */
export const RANGES = {
  bit: [0n, 1n],
  int2: [-(2n ** 15n), 2n ** 15n - 1n],
  int4: [-(2n ** 31n), 2n ** 31n - 1n],
  /** int8 columns that hold safe integers: slots, indexes and times. */
  safe: [-(2n ** 53n) + 1n, 2n ** 53n - 1n],
  int8: [-(2n ** 63n), 2n ** 63n - 1n],
} as const
export type Range = keyof typeof RANGES

/** Integer columns of a row that every row has. */
export const INTEGERS = {
  pool_id: 'int4',
  slot: 'safe',
  block_tx_index: 'safe',
  ix_index: 'int4',
  dex: 'int2',
  quote_decimals: 'int2',
  timestamp_ms: 'safe',
  wallet_id: 'int4',
  sol_amount: 'int8',
  token_amount: 'int8',
  fee_bps: 'int4',
  creator_fee_bps: 'int4',
  cashback_bps: 'int4',
  fee: 'int8',
  creator_fee: 'int8',
  cashback: 'int8',
  transfer_fee_in: 'int8',
  transfer_fee_out: 'int8',
  real_sol_reserves: 'int8',
  real_token_reserves: 'int8',
  virtual_sol_reserves: 'int8',
  virtual_token_reserves: 'int8',
  time_source: 'int4',
  agent_trade: 'int4',
  blockhash: 'int4',
} as const satisfies Partial<Record<keyof SealedSwap, Range>>

/** Integer columns that may be null. */
export const NULLABLE = {
  price_impact_bps: 'int8',
  wallet_tags: 'int2',
  virtual_quote_reserves: 'int8',
  outside_protocol_bps: 'int2',
  outside_creator_bps: 'int2',
} as const satisfies Partial<Record<keyof SealedSwap, Range>>

/** Columns that blocks of format 2 have in addition: rows of a block of format 1 have none of them. */
export const ADDED = [
  'outside_protocol_bps',
  'outside_creator_bps',
] as const satisfies NullableName[]

/** Columns of doubles; the first is never null. */
export const DOUBLES = ['pool_price', 'price_before', 'price_after'] as const

export type IntegerName = keyof typeof INTEGERS
export type NullableName = keyof typeof NULLABLE
export type DoubleName = (typeof DOUBLES)[number]
