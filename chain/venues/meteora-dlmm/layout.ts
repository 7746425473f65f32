/**
 * Layouts of Meteora DLMM: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
import { ANCHOR_SWAP, ANCHOR_SWAP2 } from '../../decoder/layout.ts'

/** swap, swap2, and both with an exact output and with a limit of price impact. */
export const DLMM_SWAP_TAGS = [
  ...[ANCHOR_SWAP, ANCHOR_SWAP2],
  ...['fa49652126cf4bb8', '2bd7f784893cf351'],
  ...['38ade6d0ade49ccd', '4a62c0d6b1334b33'],
] as const

export const DLMM_SWAP_AT = { vaultX: 2, vaultY: 3, trader: 10 } as const
