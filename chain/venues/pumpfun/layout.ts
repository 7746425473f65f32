/**
 * Layouts of pump.fun: instructions by their first bytes, with the positions of the accounts that are read. Pure.
 */
import type { Instructions } from '../../decoder/layout.ts'

export const PUMP_SWAPS = {
  buy: { tag: '66063d1201daebea', at: { curve: 3, feeRecipient: 1 } },
  sell: { tag: '33e685a4017f83ad', at: { curve: 3 } },
  buyExactSolIn: { tag: '38fc74089edfcd5f', at: { curve: 3 } },
  buyV2: { tag: 'b817ee6167c5d33d', at: { curve: 10 } },
  sellV2: { tag: '5df6823ce7e940b2', at: { curve: 10 } },
  buyExactQuoteInV2: { tag: 'c2ab1c46684d5b2f', at: { curve: 10 } },
} as const satisfies Instructions
