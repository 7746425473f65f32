/**
 * Layouts of Raydium CLMM: instructions by their first bytes, with the positions of the accounts that are read; and events. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import { type InstructionLayout, type Instructions, layout } from '../../decoder/layout.ts'

const CLMM_AT = { payer: 0, pool: 2, inputVault: 5, outputVault: 6 } as const

export const RAYDIUM_CLMM_SWAPS = {
  swap: { tag: 'f8c69e91e17587c8', at: CLMM_AT },
  swapV2: { tag: '2b04ed0b1ac91e62', at: CLMM_AT },
} as const satisfies Instructions

/**
 * A swap through several pools: after these accounts come, for each pool, its config, its state, the account that receives the
 * output, the vault of the input, that of the output, and others.
 */
export const RAYDIUM_CLMM_ROUTER = {
  tag: '457d73daf5baf2c4',
  at: { payer: 0 },
} as const satisfies InstructionLayout

/** `mint`: the first of two mints next to each other. */
const CLMM_CREATION_AT = { owner: 0, pool: 2, mint: 3 } as const

export const RAYDIUM_CLMM_POOLS = {
  created: { tag: 'e992d18ecf6840bc', at: CLMM_CREATION_AT },
  createdCustomizable: { tag: '2b44d4a7592fa401', at: CLMM_CREATION_AT },
} as const satisfies Instructions

/** Instructions that change the liquidity of a position; those that open one without liquidity are among them. */
export const RAYDIUM_CLMM_LIQUIDITY = {
  increased: { tag: '2e9cf3760dcdfbb2', at: { pool: 2 } },
  increasedV2: { tag: '851d59df45eeb00a', at: { pool: 2 } },
  decreased: { tag: 'a026d06f685b2c01', at: { pool: 3 } },
  decreasedV2: { tag: '3a7fbc3e4f52c460', at: { pool: 3 } },
  opened: { tag: '87802f4d0f98f031', at: { pool: 5 } },
  openedV2: { tag: '4db84ad67056f1c7', at: { pool: 5 } },
  openedWithToken22Nft: { tag: '4dffae527d1dc92e', at: { pool: 4 } },
} as const satisfies Instructions

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

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    close_position collect_fund_fee collect_protocol_fee collect_remaining_rewards create_amm_config
    create_operation_account create_pool create_support_mint_associated decrease_liquidity decrease_liquidity_v2
    increase_liquidity increase_liquidity_v2 initialize_reward open_position open_position_v2
    open_position_with_token22_nft set_reward_params swap swap_router_base_in swap_v2 transfer_reward_owner
    update_amm_config update_operation_account update_pool_status update_reward_infos
  `,
  `
    CollectPersonalFeeEvent CollectProtocolFeeEvent ConfigChangeEvent CreatePersonalPositionEvent
    DecreaseLiquidityEvent IncreaseLiquidityEvent LiquidityCalculateEvent LiquidityChangeEvent PoolCreatedEvent
    SwapEvent UpdateRewardInfosEvent
  `,
  ['2b44d4a7592fa401'],
)
