/**
 * Layouts of Meteora DAMM v2: instructions by their first bytes, with the positions of the accounts that are read; and events. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import { ANCHOR_SWAP, ANCHOR_SWAP2, layout } from '../../decoder/layout.ts'

export const DAMM_V2_SWAP_TAGS = [ANCHOR_SWAP, ANCHOR_SWAP2] as const

/** The same in `swap` and `swap2`. */
export const DAMM_V2_SWAP_AT = { vaultA: 4, vaultB: 5, payer: 8 } as const

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

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    add_liquidity claim_position_fee claim_protocol_fee2 claim_reward close_config close_operator_account
    close_position close_token_badge create_config create_dynamic_config create_operator_account create_position
    create_token_badge dummy_ix fix_config_fee_params fix_pool_fee_params fix_pool_layout_version fund_reward
    initialize_customizable_pool initialize_pool initialize_pool_with_dynamic_config initialize_reward
    lock_inner_position lock_position permanent_lock_position refresh_vesting remove_all_liquidity remove_liquidity
    set_pool_status split_position split_position2 swap swap2 update_delegate_permission update_pool_fees
    update_reward_duration update_reward_funder withdraw_dead_liquidity_reward withdraw_ineligible_reward
  `,
  `
    EvtClaimPositionFee EvtClaimProtocolFee2 EvtClaimReward EvtCloseConfig EvtClosePosition EvtCreateConfig
    EvtCreateDynamicConfig EvtCreatePosition EvtCreateTokenBadge EvtFundReward EvtInitializePool EvtInitializeReward
    EvtLiquidityChange EvtLockPosition EvtPermanentLockPosition EvtSetPoolStatus EvtSplitPosition2 EvtSplitPosition3
    EvtSwap2 EvtUpdateDelegatePermission EvtUpdatePoolFees EvtUpdateRewardDuration EvtUpdateRewardFunder
    EvtWithdrawDeadLiquidityReward EvtWithdrawIneligibleReward
  `,
  ['1b3c15d58aaabb93', 'aff2089d1ef7b9a9', '572e5862af60225b'],
)
