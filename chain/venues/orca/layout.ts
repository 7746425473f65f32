/**
 * Layouts of Orca Whirlpool: instructions by their first bytes, with the positions of the accounts that are read; and events. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import { type Instructions, layout } from '../../decoder/layout.ts'

export const ORCA_SWAPS = {
  swap: { tag: 'f8c69e91e17587c8', at: { pool: 2, vaultA: 4, vaultB: 6, trader: 1 } },
  swapV2: { tag: '2b04ed0b1ac91e62', at: { pool: 4, vaultA: 8, vaultB: 10, trader: 3 } },
} as const satisfies Instructions

export const ORCA_POOLS = {
  created: { tag: '5fb40aac54aee828', at: { pool: 4, mint: 1, owner: 3 } },
  createdV2: { tag: 'cf2d57f21b3fcc43', at: { pool: 6, mint: 1, owner: 5 } },
  createdAdaptive: { tag: '8f5e604cac7c77c7', at: { pool: 7, mint: 1, owner: 5 } },
} as const satisfies Instructions

/** increase_liquidity and decrease_liquidity, version 2 of them, and increase_liquidity_by_token_amounts_v2. */
export const ORCA_LIQUIDITY = {
  added: { tag: '2e9cf3760dcdfbb2', at: { pool: 0 } },
  addedV2: { tag: '851d59df45eeb00a', at: { pool: 0 } },
  addedByAmounts: { tag: 'effb097cd2c6352b', at: { pool: 0 } },
  removed: { tag: 'a026d06f685b2c01', at: { pool: 0 } },
  removedV2: { tag: '3a7fbc3e4f52c460', at: { pool: 0 } },
} as const satisfies Instructions

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

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    close_bundled_position close_position close_position_with_token_extensions collect_fees collect_fees_v2
    collect_protocol_fees collect_protocol_fees_v2 collect_reward collect_reward_v2 decrease_liquidity
    decrease_liquidity_v2 delete_position_bundle delete_token_badge idl_include increase_liquidity
    increase_liquidity_by_token_amounts_v2 increase_liquidity_v2 initialize_adaptive_fee_tier initialize_config
    initialize_config_extension initialize_dynamic_tick_array initialize_fee_tier initialize_pool initialize_pool_v2
    initialize_pool_with_adaptive_fee initialize_position_bundle initialize_position_bundle_with_metadata
    initialize_reward initialize_reward_v2 initialize_tick_array initialize_token_badge lock_position
    migrate_repurpose_reward_authority_space open_bundled_position open_position open_position_with_metadata
    open_position_with_token_extensions reposition_liquidity_v2 reset_position_range set_adaptive_fee_constants
    set_collect_protocol_fees_authority set_config_extension_authority set_config_feature_flag
    set_default_base_fee_rate set_default_fee_rate set_default_protocol_fee_rate set_delegated_fee_authority
    set_fee_authority set_fee_rate set_fee_rate_by_delegated_fee_authority set_initialize_pool_authority
    set_preset_adaptive_fee_constants set_protocol_fee_rate set_reward_authority
    set_reward_authority_by_super_authority set_reward_emissions set_reward_emissions_super_authority
    set_reward_emissions_v2 set_token_badge_attribute set_token_badge_authority swap swap_v2
    transfer_locked_position two_hop_swap two_hop_swap_v2 update_fees_and_rewards
  `,
  `
    LiquidityDecreased LiquidityIncreased LiquidityRepositioned PoolInitialized PositionOpened Traded
  `,
)
