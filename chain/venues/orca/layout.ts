/**
 * Layouts of Orca Whirlpool: instructions by their first bytes, with the positions of the accounts that are read; and events. Pure.
 */
import { type Instructions, layout } from '../../decoder/layout.ts'

export const ORCA_SWAPS = {
  swap: { tag: 'f8c69e91e17587c8', at: { pool: 2, vaultA: 4, vaultB: 6, trader: 1 } },
  swapV2: { tag: '2b04ed0b1ac91e62', at: { pool: 4, vaultA: 8, vaultB: 10, trader: 3 } },
} as const satisfies Instructions

export const ORCA_POOLS = {
  created: { tag: '5fb40aac54aee828', at: { pool: 4, mint: 1, owner: 3 } },
  createdV2: { tag: 'cf2d57f21b3fcc43', at: { pool: 6, mint: 1, owner: 5 } },
  createdAdaptive: { tag: '8f5e604cac7c77c7', at: { pool: 7, mint: 1, owner: 5 } },
} as const satisfies Instructions

/** increase_liquidity and decrease_liquidity, version 2 of them, and increase_liquidity_by_token_amounts_v2. */
export const ORCA_LIQUIDITY = {
  added: { tag: '2e9cf3760dcdfbb2', at: { pool: 0 } },
  addedV2: { tag: '851d59df45eeb00a', at: { pool: 0 } },
  addedByAmounts: { tag: 'effb097cd2c6352b', at: { pool: 0 } },
  removed: { tag: 'a026d06f685b2c01', at: { pool: 0 } },
  removedV2: { tag: '3a7fbc3e4f52c460', at: { pool: 0 } },
} as const satisfies Instructions

/** Orca Whirlpool. */
export const WHIRLPOOL_TRADED = layout({
  name: 'Traded',
  discriminator: 'e1ca49af932ba096',
  fields: [
    ['whirlpool', 'pubkey'],
    ['a_to_b', 'bool'],
    ['pre_sqrt_price', 'u128'],
    ['post_sqrt_price', 'u128'],
    ['input_amount', 'u64'],
    ['output_amount', 'u64'],
    ['input_transfer_fee', 'u64'],
    ['output_transfer_fee', 'u64'],
    ['lp_fee', 'u64'],
    ['protocol_fee', 'u64'],
  ],
})
