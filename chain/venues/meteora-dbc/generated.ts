// Written by ../generate.ts from the program's IDL; not edited by hand.

export const DBC_SWAP = {
  name: 'EvtSwap',
  discriminator: '1b3c15d58aaabb93',
  fields: [
    ['pool', 'pubkey'],
    ['config', 'pubkey'],
    ['trade_direction', 'u8'],
    ['has_referral', 'bool'],
    ['params.amount_in', 'u64'],
    ['params.minimum_amount_out', 'u64'],
    ['swap_result.actual_input_amount', 'u64'],
    ['swap_result.output_amount', 'u64'],
    ['swap_result.next_sqrt_price', 'u128'],
    ['swap_result.trading_fee', 'u64'],
    ['swap_result.protocol_fee', 'u64'],
    ['swap_result.referral_fee', 'u64'],
    ['amount_in', 'u64'],
    ['current_timestamp', 'u64'],
  ],
} as const

export const DBC_SWAP2 = {
  name: 'EvtSwap2',
  discriminator: 'bd4233a826507599',
  fields: [
    ['pool', 'pubkey'],
    ['config', 'pubkey'],
    ['trade_direction', 'u8'],
    ['has_referral', 'bool'],
    ['swap_parameters.amount_0', 'u64'],
    ['swap_parameters.amount_1', 'u64'],
    ['swap_parameters.swap_mode', 'u8'],
    ['swap_result.included_fee_input_amount', 'u64'],
    ['swap_result.excluded_fee_input_amount', 'u64'],
    ['swap_result.amount_left', 'u64'],
    ['swap_result.output_amount', 'u64'],
    ['swap_result.next_sqrt_price', 'u128'],
    ['swap_result.trading_fee', 'u64'],
    ['swap_result.protocol_fee', 'u64'],
    ['swap_result.referral_fee', 'u64'],
    ['quote_reserve_amount', 'u64'],
    ['migration_threshold', 'u64'],
    ['current_timestamp', 'u64'],
  ],
} as const

export const DBC_SWAP2_WITH_HOOK = {
  name: 'EvtSwap2WithTransferHook',
  discriminator: '863ba8785e3372e7',
  fields: [
    ['pool', 'pubkey'],
    ['config', 'pubkey'],
    ['trade_direction', 'u8'],
    ['has_referral', 'bool'],
    ['swap_parameters.amount_0', 'u64'],
    ['swap_parameters.amount_1', 'u64'],
    ['swap_parameters.swap_mode', 'u8'],
    ['swap_result.included_fee_input_amount', 'u64'],
    ['swap_result.excluded_fee_input_amount', 'u64'],
    ['swap_result.amount_left', 'u64'],
    ['swap_result.output_amount', 'u64'],
    ['swap_result.next_sqrt_price', 'u128'],
    ['swap_result.trading_fee', 'u64'],
    ['swap_result.protocol_fee', 'u64'],
    ['swap_result.referral_fee', 'u64'],
    ['quote_reserve_amount', 'u64'],
    ['migration_threshold', 'u64'],
    ['current_timestamp', 'u64'],
  ],
} as const

export const DBC_CREATE_POOL = {
  name: 'EvtInitializePool',
  discriminator: 'e432f655cb428625',
  fields: [
    ['pool', 'pubkey'],
    ['config', 'pubkey'],
    ['creator', 'pubkey'],
    ['base_mint', 'pubkey'],
    ['pool_type', 'u8'],
    ['activation_point', 'u64'],
  ],
} as const

export const DBC_CREATE_POOL_WITH_HOOK = {
  name: 'EvtInitializePoolWithTransferHook',
  discriminator: 'd589a435c14a0f6e',
  fields: [
    ['pool', 'pubkey'],
    ['config', 'pubkey'],
    ['creator', 'pubkey'],
    ['base_mint', 'pubkey'],
    ['pool_type', 'u8'],
    ['activation_point', 'u64'],
  ],
} as const
