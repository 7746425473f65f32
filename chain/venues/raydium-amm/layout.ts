/**
 * Layouts of Raydium AMM v4: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
import { knownByNumber } from '../../decoder/known.ts'
import type { Instructions } from '../../decoder/layout.ts'

/** The tag is one byte. The vaults of a swap with a market follow one or two accounts of orders. */
export const RAYDIUM_AMM_SWAPS = {
  baseIn: { tag: '09', at: { pool: 1, authority: 2, coinVault: 5, trader: 17 } },
  baseOut: { tag: '0b', at: { pool: 1, authority: 2, coinVault: 5, trader: 17 } },
  baseInV2: { tag: '10', at: { pool: 1, authority: 2, coinVault: 3, trader: 7 } },
  baseOutV2: { tag: '11', at: { pool: 1, authority: 2, coinVault: 3, trader: 7 } },
} as const satisfies Instructions

export const RAYDIUM_AMM_POOLS = {
  created: { tag: '01', at: { pool: 4, mint: 8, creator: 17 } },
  added: { tag: '03', at: { pool: 1 } },
  removed: { tag: '04', at: { pool: 1 } },
} as const satisfies Instructions

/** Every instruction of the program: any other one is a warning of the decoder. Its logs are no events. */
export const KNOWN = knownByNumber(18)
