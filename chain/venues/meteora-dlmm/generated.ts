// Written by ../generate.ts from the program's IDL; not edited by hand.

export const DLMM_SWAP = {
  name: 'Swap',
  discriminator: '516ce3becdd00ac4',
  fields: [
    ['lb_pair', 'pubkey'],
    ['from', 'pubkey'],
    ['start_bin_id', 'i32'],
    ['end_bin_id', 'i32'],
    ['amount_in', 'u64'],
    ['amount_out', 'u64'],
    ['swap_for_y', 'bool'],
    ['fee', 'u64'],
    ['protocol_fee', 'u64'],
    ['fee_bps', 'u128'],
    ['host_fee', 'u64'],
  ],
} as const

export const DLMM_SWAP2 = {
  name: 'Swap2Evt',
  discriminator: '2e7452d7941b544d',
  fields: [
    ['lb_pair', 'pubkey'],
    ['from', 'pubkey'],
    ['start_bin_id', 'i32'],
    ['end_bin_id', 'i32'],
    ['swap_for_y', 'bool'],
    ['fee_bps', 'u128'],
    ['amount_in', 'u64'],
    ['amount_left', 'u64'],
    ['amount_out', 'u64'],
    ['mm_fee', 'u64'],
    ['protocol_fee', 'u64'],
    ['limit_order_fee', 'u64'],
    ['host_fee', 'u64'],
    ['fees_on_input', 'bool'],
    ['fees_on_token_x', 'bool'],
  ],
} as const

export const DLMM_CREATE_POOL = {
  name: 'LbPairCreate',
  discriminator: 'b94afc7d1bd7bc6f',
  fields: [
    ['lb_pair', 'pubkey'],
    ['bin_step', 'u16'],
    ['token_x', 'pubkey'],
    ['token_y', 'pubkey'],
  ],
} as const

export const DLMM_ADD_LIQUIDITY = {
  name: 'AddLiquidity',
  discriminator: '1f5e7d5ae3343dba',
  fields: [
    ['lb_pair', 'pubkey'],
    ['from', 'pubkey'],
    ['position', 'pubkey'],
    ['amounts.0', 'u64'],
    ['amounts.1', 'u64'],
    ['active_bin_id', 'i32'],
  ],
} as const

export const DLMM_REMOVE_LIQUIDITY = {
  name: 'RemoveLiquidity',
  discriminator: '74f461e8671f983a',
  fields: [
    ['lb_pair', 'pubkey'],
    ['from', 'pubkey'],
    ['position', 'pubkey'],
    ['amounts.0', 'u64'],
    ['amounts.1', 'u64'],
    ['active_bin_id', 'i32'],
  ],
} as const
