/** Batches as answers show them, each row as the list that it belongs to. Pure. */
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import { presentPosition } from '../pnl/present.ts'
import { presentSummary } from '../summary/present.ts'
import type { Summary } from '../summary/read.ts'
import type { OwnedRow } from './read.ts'
import type { OwnedPositionAnswer, PositionBatchAnswer, WalletBatchAnswer } from './schema.ts'

export function presentOwned(row: OwnedRow, mode: PnlMode): OwnedPositionAnswer {
  const view = { pnl_mode: mode, breakdown: false }
  return { wallet: row.wallet, ...presentPosition(row, view, row.sol_usd) }
}

export function presentPairs(
  mode: PnlMode,
  rows: readonly (OwnedRow | undefined)[],
): PositionBatchAnswer {
  return {
    pnl_mode: mode,
    positions: rows.map((row) => (row === undefined ? null : presentOwned(row, mode))),
  }
}

export function presentWallets(
  wallets: readonly string[],
  summaries: readonly Summary[],
): WalletBatchAnswer {
  return {
    wallets: summaries.map((summary, index) =>
      summary.sums === undefined ? null : presentSummary(wallets[index] ?? '', summary),
    ),
  }
}
