/**
 * Layouts of Meteora DBC: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import { ANCHOR_SWAP, ANCHOR_SWAP2 } from '../../decoder/layout.ts'

export const DBC_SWAP_TAGS = [ANCHOR_SWAP, ANCHOR_SWAP2] as const

export const DBC_SWAP_AT = { baseVault: 5, quoteVault: 6, payer: 9 } as const

/** In each of the instructions that make a curve. */
export const DBC_CREATION_AT = { baseMint: 3, quoteMint: 4 } as const

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    claim_creator_trading_fee claim_creator_trading_fee2 claim_partner_pool_creation_fee claim_protocol_fee2
    claim_protocol_pool_creation_fee claim_trading_fee claim_trading_fee2 close_claim_protocol_fee_operator
    close_operator_account close_token_badge create_config create_config_with_transfer_hook create_locker
    create_operator_account create_partner_metadata create_token_badge create_virtual_pool_metadata
    creator_withdraw_surplus initialize_virtual_pool_with_spl_token initialize_virtual_pool_with_token2022
    initialize_virtual_pool_with_token2022_transfer_hook migrate_meteora_damm migrate_meteora_damm_claim_lp_token
    migrate_meteora_damm_lock_lp_token migration_damm_v2 migration_damm_v2_create_metadata
    migration_meteora_damm_create_metadata partner_withdraw_surplus swap swap2 swap2_with_transfer_hook
    transfer_pool_creator withdraw_leftover withdraw_migration_fee
  `,
  `
    EvtClaimCreatorTradingFee EvtClaimPoolCreationFee EvtClaimProtocolFee2 EvtClaimTradingFee
    EvtCloseClaimFeeOperator EvtCloseTokenBadge EvtCreateClaimFeeOperator EvtCreateConfig EvtCreateConfigV2
    EvtCreateConfigV2WithTransferHook EvtCreateMeteoraMigrationMetadata EvtCreateTokenBadge
    EvtCreatorWithdrawSurplus EvtCurveComplete EvtCurveCompleteWithTransferHook EvtInitializePool
    EvtInitializePoolWithTransferHook EvtPartnerClaimPoolCreationFee EvtPartnerMetadata EvtPartnerWithdrawSurplus
    EvtSwap EvtSwap2 EvtSwap2WithTransferHook EvtUpdatePoolCreator EvtVirtualPoolMetadata EvtWithdrawLeftover
    EvtWithdrawMigrationFee
  `,
)
