/**
 * Layouts of Meteora dynamic AMM: instructions by their first bytes, with the positions of the accounts that are read; and events. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import { type Instructions, layout } from '../../decoder/layout.ts'

export const DYNAMIC_AMM_SWAPS = {
  swap: {
    tag: 'f8c69e91e17587c8',
    at: { pool: 0, tradersSource: 1, vaultA: 5, vaultB: 6, trader: 12 },
  },
} as const satisfies Instructions

/** In the instructions that change liquidity. */
export const DYNAMIC_AMM_POOL_AT = 0

const DYNAMIC_AMM_CREATION_AT = { pool: 0, mint: 2 } as const

const DYNAMIC_AMM_CREATION_BY_CONFIG_AT = { pool: 0, mint: 3 } as const

/** `mint`: the first of two mints next to each other. */
export const DYNAMIC_AMM_POOLS = {
  permissioned: { tag: '4d55b29d3230d47e', at: DYNAMIC_AMM_CREATION_AT },
  permissionless: { tag: '76ad299dad486167', at: DYNAMIC_AMM_CREATION_AT },
  withFeeTier: { tag: '06874493e552a971', at: DYNAMIC_AMM_CREATION_AT },
  withConfig: { tag: '07a68aabceabecf4', at: DYNAMIC_AMM_CREATION_BY_CONFIG_AT },
  withConfig2: { tag: '3095dc823d0b09b2', at: DYNAMIC_AMM_CREATION_BY_CONFIG_AT },
  customizable: { tag: '9118acc2db7d03be', at: DYNAMIC_AMM_CREATION_AT },
} as const satisfies Instructions

const DYNAMIC_AMM_LIQUIDITY_AT = { pool: DYNAMIC_AMM_POOL_AT } as const

export const DYNAMIC_AMM_LIQUIDITY = {
  bootstrapped: { tag: '04e4d747e1fd77ce', at: DYNAMIC_AMM_LIQUIDITY_AT },
  added: { tag: 'a8e3323ebdab54b0', at: DYNAMIC_AMM_LIQUIDITY_AT },
  addedImbalanced: { tag: '4f237a54ad0f5dbf', at: DYNAMIC_AMM_LIQUIDITY_AT },
  removed: { tag: '856d2cb338ee7221', at: DYNAMIC_AMM_LIQUIDITY_AT },
  removedFromOneSide: { tag: '5454b142feb90afb', at: DYNAMIC_AMM_LIQUIDITY_AT },
} as const satisfies Instructions

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

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    initialize_permissioned_pool initialize_permissionless_pool initialize_permissionless_pool_with_fee_tier
    enable_or_disable_pool swap remove_liquidity_single_side add_imbalance_liquidity remove_balance_liquidity
    add_balance_liquidity set_pool_fees override_curve_param get_pool_info bootstrap_liquidity create_mint_metadata
    create_lock_escrow lock claim_fee create_config close_config
    initialize_permissionless_constant_product_pool_with_config
    initialize_permissionless_constant_product_pool_with_config2
    initialize_customizable_permissionless_constant_product_pool update_activation_point withdraw_protocol_fees
    set_whitelisted_vault partner_claim_fee move_locked_lp
  `,
  `
    AddLiquidity RemoveLiquidity BootstrapLiquidity Swap SetPoolFees PoolInfo TransferAdmin OverrideCurveParam
    PoolCreated PoolEnabled MigrateFeeAccount CreateLockEscrow Lock ClaimFee CreateConfig CloseConfig
    WithdrawProtocolFees PartnerClaimFees MoveLockedLp
  `,
)
