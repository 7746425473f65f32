/**
 * Layouts of programs that publish no IDL in a package that may be used here: written from the field order that
 * the programs' sources document (Raydium CLMM, CPMM and AMM v4, Orca Whirlpool, Meteora dynamic AMM). Pure.
 */
import type { Layout } from '../decoder/layout.ts'

const layout = <const L extends Layout>(each: L): L => each

/**
 * Raydium concentrated liquidity. Amounts are without transfer fees; in older events those that cross the user's accounts. The
 * newest events end with the fees in each token: of liquidity, protocol and fund together.
 */
export const CLMM_SWAP = layout({
  name: 'SwapEvent',
  discriminator: '40c6cde8260871e2',
  fields: [
    ['pool_state', 'pubkey'],
    ['sender', 'pubkey'],
    ['token_account_0', 'pubkey'],
    ['token_account_1', 'pubkey'],
    ['amount_0', 'u64'],
    ['transfer_fee_0', 'u64'],
    ['amount_1', 'u64'],
    ['transfer_fee_1', 'u64'],
    ['zero_for_one', 'bool'],
    ['sqrt_price_x64', 'u128'],
    ['liquidity', 'u128'],
    ['tick', 'i32'],
    ['trade_fee_0', 'u64'],
    ['trade_fee_1', 'u64'],
  ],
})

/** Raydium constant product; version 2 ends with the mints and the fees. */
export const CPMM_SWAP = layout({
  name: 'SwapEvent',
  discriminator: '40c6cde8260871e2',
  fields: [
    ['pool_id', 'pubkey'],
    ['input_vault_before', 'u64'],
    ['output_vault_before', 'u64'],
    ['input_amount', 'u64'],
    ['output_amount', 'u64'],
    ['input_transfer_fee', 'u64'],
    ['output_transfer_fee', 'u64'],
    ['base_input', 'bool'],
    ['input_mint', 'pubkey'],
    ['output_mint', 'pubkey'],
    ['trade_fee', 'u64'],
    ['creator_fee', 'u64'],
    ['creator_fee_on_input', 'bool'],
  ],
})

/** Orca Whirlpool. */
export const WHIRLPOOL_TRADED = layout({
  name: 'Traded',
  discriminator: 'e1ca49af932ba096',
  fields: [
    ['whirlpool', 'pubkey'],
    ['a_to_b', 'bool'],
    ['pre_sqrt_price', 'u128'],
    ['post_sqrt_price', 'u128'],
    ['input_amount', 'u64'],
    ['output_amount', 'u64'],
    ['input_transfer_fee', 'u64'],
    ['output_transfer_fee', 'u64'],
    ['lp_fee', 'u64'],
    ['protocol_fee', 'u64'],
  ],
})

/** Meteora dynamic AMM: names neither pool nor direction. */
export const DYNAMIC_AMM_SWAP = layout({
  name: 'Swap',
  discriminator: '516ce3becdd00ac4',
  fields: [
    ['in_amount', 'u64'],
    ['out_amount', 'u64'],
    ['trade_fee', 'u64'],
    ['protocol_fee', 'u64'],
    ['host_fee', 'u64'],
  ],
})

/** Meteora DAMM v2 before EvtSwap2. */
export const DAMM_V2_SWAP = layout({
  name: 'EvtSwap',
  discriminator: '1b3c15d58aaabb93',
  fields: [
    ['pool', 'pubkey'],
    ['trade_direction', 'u8'],
    ['has_referral', 'bool'],
    ['params.amount_in', 'u64'],
    ['params.minimum_amount_out', 'u64'],
    ['swap_result.output_amount', 'u64'],
    ['swap_result.next_sqrt_price', 'u128'],
    ['swap_result.lp_fee', 'u64'],
    ['swap_result.protocol_fee', 'u64'],
    ['swap_result.partner_fee', 'u64'],
    ['swap_result.referral_fee', 'u64'],
    ['actual_amount_in', 'u64'],
    ['current_timestamp', 'u64'],
  ],
})

export const DAMM_V2_ADD_LIQUIDITY = layout({
  name: 'EvtAddLiquidity',
  discriminator: 'aff2089d1ef7b9a9',
  fields: [['pool', 'pubkey']],
})

export const DAMM_V2_REMOVE_LIQUIDITY = layout({
  name: 'EvtRemoveLiquidity',
  discriminator: '572e5862af60225b',
  fields: [['pool', 'pubkey']],
})

export const CLMM_POOL_CREATED = layout({
  name: 'PoolCreatedEvent',
  discriminator: '195e4b2f7063353f',
  fields: [
    ['token_mint_0', 'pubkey'],
    ['token_mint_1', 'pubkey'],
    ['tick_spacing', 'u16'],
    ['pool_state', 'pubkey'],
  ],
})

export const CLMM_LIQUIDITY = layout({
  name: 'LiquidityChangeEvent',
  discriminator: '7ef0afce9e58996b',
  fields: [
    ['pool_state', 'pubkey'],
    ['tick', 'i32'],
    ['tick_lower', 'i32'],
    ['tick_upper', 'i32'],
    ['liquidity_before', 'u128'],
    ['liquidity_after', 'u128'],
  ],
})

export const DYNAMIC_AMM_POOL_CREATED = layout({
  name: 'PoolCreated',
  discriminator: 'ca2c295868dc9d52',
  fields: [
    ['lp_mint', 'pubkey'],
    ['token_a_mint', 'pubkey'],
    ['token_b_mint', 'pubkey'],
    ['pool_type', 'u8'],
    ['pool', 'pubkey'],
  ],
})

export const DYNAMIC_AMM_ADD_LIQUIDITY = layout({
  name: 'AddLiquidity',
  discriminator: '1f5e7d5ae3343dba',
  fields: [],
})

export const DYNAMIC_AMM_REMOVE_LIQUIDITY = layout({
  name: 'RemoveLiquidity',
  discriminator: '74f461e8671f983a',
  fields: [],
})

export const DYNAMIC_AMM_BOOTSTRAP = layout({
  name: 'BootstrapLiquidity',
  discriminator: '797f26885c370ef7',
  fields: [],
})
