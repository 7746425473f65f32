/**
 * The three ways in which profit is counted (docs/semantics.md#pnl-modes). Pure.
 *
 * Law: any value that does not name a mode is `adjusted`: absent, unknown, or in capitals.
 */

import type { HourFigures } from '../ledger/hours.ts'

/** strict: FIFO; adjusted: weighted average cost; raw: cash flow. */
export const PNL_MODES = ['raw', 'strict', 'adjusted'] as const
export type PnlMode = (typeof PNL_MODES)[number]

export function pnlModeOf(given: string | undefined): PnlMode {
  return PNL_MODES.find((mode) => mode === given) ?? 'adjusted'
}

const REALIZED = {
  raw: 'realizedRaw',
  strict: 'realizedStrict',
  adjusted: 'realizedAdjusted',
} as const satisfies Record<PnlMode, keyof HourFigures>

/** Lamports that an hour realized, as the mode counts them. */
export const realizedBy = (mode: PnlMode, figures: HourFigures): bigint => figures[REALIZED[mode]]
