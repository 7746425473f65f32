/**
 * Layouts of pump.fun: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import type { Instructions } from '../../decoder/layout.ts'

export const PUMP_SWAPS = {
  buy: { tag: '66063d1201daebea', at: { curve: 3, feeRecipient: 1 } },
  sell: { tag: '33e685a4017f83ad', at: { curve: 3 } },
  buyExactSolIn: { tag: '38fc74089edfcd5f', at: { curve: 3 } },
  buyV2: { tag: 'b817ee6167c5d33d', at: { curve: 10 } },
  sellV2: { tag: '5df6823ce7e940b2', at: { curve: 10 } },
  buyExactQuoteInV2: { tag: 'c2ab1c46684d5b2f', at: { curve: 10 } },
} as const satisfies Instructions

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    add_quote_control_mint add_quote_mint admin_cto admin_set_idl_authority admin_update_token_incentives buy
    buy_exact_quote_in_v2 buy_exact_sol_in buy_v2 claim_cashback claim_cashback_v2 claim_token_incentives
    close_user_volume_accumulator collect_creator_fee collect_creator_fee_v2 create create_v2
    distribute_creator_fees distribute_creator_fees_v2 distribute_fee_to_holders extend_account
    get_minimum_distributable_fee init_user_volume_accumulator initialize initialize_quote_control migrate
    migrate_bonding_curve_creator migrate_v2 remove_quote_control_mint remove_quote_mint sell sell_v2 set_creator
    set_mayhem_virtual_params set_metaplex_creator set_params set_quote_control_admin set_reserved_fee_recipients
    set_virtual_quote_reserves sync_user_volume_accumulator toggle_cashback_enabled toggle_create_v2
    toggle_mayhem_mode update_buyback_config update_creator_fee_config update_global_authority
    update_holder_reward_config
  `,
  `
    AddQuoteControlMintEvent AdminCtoEvent AdminSetIdlAuthorityEvent AdminUpdateTokenIncentivesEvent
    ClaimCashbackEvent ClaimTokenIncentivesEvent CloseUserVolumeAccumulatorEvent CollectCreatorFeeEvent
    CompleteEvent CompletePumpAmmMigrationEvent CreateEvent DistributeCreatorFeesEvent DistributeFeeToHoldersEvent
    ExtendAccountEvent InitUserVolumeAccumulatorEvent MigrateBondingCurveCreatorEvent MinimumDistributableFeeEvent
    RemoveQuoteControlMintEvent ReservedFeeRecipientsEvent SetCreatorEvent SetMetaplexCreatorEvent SetParamsEvent
    SetQuoteControlAdminEvent SyncUserVolumeAccumulatorEvent TradeEvent UpdateCreatorFeeConfigEvent
    UpdateGlobalAuthorityEvent UpdateMayhemVirtualParamsEvent
  `,
)
