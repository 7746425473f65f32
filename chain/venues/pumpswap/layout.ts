/**
 * Layouts of PumpSwap: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
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
