/**
 * Layouts of Meteora DLMM: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import { ANCHOR_SWAP, ANCHOR_SWAP2 } from '../../decoder/layout.ts'

/** swap, swap2, and both with an exact output and with a limit of price impact. */
export const DLMM_SWAP_TAGS = [
  ...[ANCHOR_SWAP, ANCHOR_SWAP2],
  ...['fa49652126cf4bb8', '2bd7f784893cf351'],
  ...['38ade6d0ade49ccd', '4a62c0d6b1334b33'],
] as const

export const DLMM_SWAP_AT = { vaultX: 2, vaultY: 3, trader: 10 } as const

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    add_liquidity add_liquidity2 add_liquidity_by_strategy add_liquidity_by_strategy2
    add_liquidity_by_strategy_one_side add_liquidity_by_weight add_liquidity_by_weight2 add_liquidity_one_side
    add_liquidity_one_side_precise add_liquidity_one_side_precise2 cancel_limit_order claim_fee claim_fee2
    claim_reward claim_reward2 close_bin_array close_claim_fee_operator_account close_limit_order_if_empty
    close_operator_account close_position close_position2 close_position_if_empty close_preset_parameter
    close_preset_parameter2 close_token_badge create_operator_account decrease_position_length
    for_idl_type_generation_do_not_call fund_reward go_to_a_bin increase_oracle_length increase_position_length
    increase_position_length2 initialize_bin_array initialize_bin_array_bitmap_extension
    initialize_customizable_permissionless_lb_pair initialize_customizable_permissionless_lb_pair2
    initialize_lb_pair initialize_lb_pair2 initialize_permission_lb_pair initialize_position initialize_position2
    initialize_position_by_operator initialize_position_pda initialize_preset_parameter initialize_reward
    initialize_token_badge place_limit_order rebalance_liquidity remove_all_liquidity remove_liquidity
    remove_liquidity2 remove_liquidity_by_range remove_liquidity_by_range2 set_activation_point set_pair_status
    set_pair_status_permissionless set_permissionless_operation_bits set_pre_activation_duration
    set_pre_activation_swap_address swap swap2 swap_exact_out swap_exact_out2 swap_with_price_impact
    swap_with_price_impact2 update_base_fee_parameters update_dynamic_fee_parameters update_fees_and_reward2
    update_fees_and_rewards update_position_operator update_reward_duration update_reward_funder
    withdraw_ineligible_reward withdraw_protocol_fee zap_protocol_fee
  `,
  `
    AddLiquidity CancelLimitOrderEvt ClaimFee ClaimFee2 ClaimReward ClaimReward2 CloseLimitOrderEvt CompositionFee
    DecreasePositionLength DynamicFeeParameterUpdate FeeParameterUpdate FundReward GoToABin IncreaseObservation
    IncreasePositionLength InitializeReward LbPairCreate PlaceLimitOrderEvt PositionClose PositionCreate Rebalancing
    RemoveLiquidity SetPositionPermissionlessOperationBitsEvt Swap Swap2Evt UpdatePositionLockReleasePoint
    UpdatePositionOperator UpdateRewardDuration UpdateRewardFunder WithdrawIneligibleReward
  `,
)
