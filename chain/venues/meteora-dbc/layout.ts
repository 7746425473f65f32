/**
 * Layouts of Meteora DBC: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
import { ANCHOR_SWAP, ANCHOR_SWAP2 } from '../../decoder/layout.ts'

export const DBC_SWAP_TAGS = [ANCHOR_SWAP, ANCHOR_SWAP2] as const

export const DBC_SWAP_AT = { baseVault: 5, quoteVault: 6, payer: 9 } as const

/** In each of the instructions that make a curve. */
export const DBC_CREATION_AT = { baseMint: 3, quoteMint: 4 } as const
