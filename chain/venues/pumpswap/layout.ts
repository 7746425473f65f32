/**
 * Layouts of PumpSwap: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import type { Instructions } from '../../decoder/layout.ts'

const PUMPSWAP_AT = { baseVault: 7, quoteVault: 8 } as const

export const PUMPSWAP_SWAPS = {
  buy: { tag: '66063d1201daebea', at: PUMPSWAP_AT },
  sell: { tag: '33e685a4017f83ad', at: PUMPSWAP_AT },
  buyExactQuoteIn: { tag: 'c62e1552b4d9e870', at: PUMPSWAP_AT },
} as const satisfies Instructions

const PUMPSWAP_LIQUIDITY_AT = { baseMint: 3, quoteMint: 4 } as const

export const PUMPSWAP_LIQUIDITY = {
  deposit: { tag: 'f223c68952e1f2b6', at: PUMPSWAP_LIQUIDITY_AT },
  withdraw: { tag: 'b712469c946da122', at: PUMPSWAP_LIQUIDITY_AT },
} as const satisfies Instructions

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    admin_cto_pool admin_update_token_incentives boost_buy_and_burn buy buy_exact_quote_in claim_cashback
    claim_token_incentives close_user_volume_accumulator collect_coin_creator_fee create_config create_pool deposit
    disable extend_account init_boost init_user_volume_accumulator migrate_pool_coin_creator sell
    set_boost_authority set_coin_creator set_reserved_fee_recipients sync_user_volume_accumulator toggle_boost
    toggle_cashback_enabled toggle_mayhem_mode transfer_creator_fees_to_pump transfer_creator_fees_to_pump_v2
    update_admin update_buyback_config update_creator_fee_config update_fee_config withdraw
  `,
  `
    AdminCtoPoolEvent AdminUpdateTokenIncentivesEvent BoostBuyAndBurnEvent BuyEvent ClaimCashbackEvent
    ClaimTokenIncentivesEvent CloseUserVolumeAccumulatorEvent CollectCoinCreatorFeeEvent CreateConfigEvent
    CreatePoolEvent DepositEvent DisableEvent ExtendAccountEvent InitBoostEvent InitUserVolumeAccumulatorEvent
    MigratePoolCoinCreatorEvent ReservedFeeRecipientsEvent SellEvent SetBondingCurveCoinCreatorEvent
    SetBoostAuthorityEvent SetMetaplexCoinCreatorEvent SyncUserVolumeAccumulatorEvent UpdateAdminEvent
    UpdateCreatorFeeConfigEvent UpdateFeeConfigEvent WithdrawEvent
  `,
)
