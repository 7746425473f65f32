/**
 * Layouts of Meteora DAMM v2: instructions by their first bytes, with the positions of the accounts that are read; and events. Pure.
 */
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
