/**
 * Layouts of Raydium CPMM: instructions by their first bytes, with the positions of the accounts that are read; and events. Pure.
 */
import { knownByAnchor } from '../../decoder/known.ts'
import { type Instructions, layout } from '../../decoder/layout.ts'

const CPMM_AT = { payer: 0, pool: 3, inputVault: 6, outputVault: 7 } as const

export const RAYDIUM_CPMM_SWAPS = {
  baseIn: { tag: '8fbe5adac41e33de', at: CPMM_AT },
  baseOut: { tag: '37d96256a34ab4ad', at: CPMM_AT },
} as const satisfies Instructions

/** `mint`: the first of two mints next to each other. */
export const RAYDIUM_CPMM_POOLS = {
  created: { tag: 'afaf6d1f0d989bed', at: { pool: 3, mint: 4, owner: 0 } },
  createdWithPermission: { tag: '3f37fe4131b25979', at: { pool: 4, mint: 5, owner: 1 } },
  added: { tag: 'f223c68952e1f2b6', at: { pool: 2, mint: 10, owner: 0 } },
  removed: { tag: 'b712469c946da122', at: { pool: 2, mint: 10, owner: 0 } },
} as const satisfies Instructions

/** Raydium constant product; version 2 ends with the mints and the fees. */
export const CPMM_SWAP = layout({
  name: 'SwapEvent',
  discriminator: '40c6cde8260871e2',
  fields: [
    ['pool_id', 'pubkey'],
    ['input_vault_before', 'u64'],
    ['output_vault_before', 'u64'],
    ['input_amount', 'u64'],
    ['output_amount', 'u64'],
    ['input_transfer_fee', 'u64'],
    ['output_transfer_fee', 'u64'],
    ['base_input', 'bool'],
    ['input_mint', 'pubkey'],
    ['output_mint', 'pubkey'],
    ['trade_fee', 'u64'],
    ['creator_fee', 'u64'],
    ['creator_fee_on_input', 'bool'],
  ],
})

/** Every instruction and event of the program by its name in the IDL: any other one is a warning of the decoder. */
export const KNOWN = knownByAnchor(
  `
    collect_fund_fee collect_protocol_fee create_amm_config deposit initialize swap_base_input swap_base_output
    update_amm_config update_pool_status withdraw
  `,
  `
    LpChangeEvent SwapEvent
  `,
  ['3f37fe4131b25979'],
)
