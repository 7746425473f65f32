/** A wallet's figures as the interface shows them: lamports become SOL here, divided once. Pure. */
import { lamportsToSol } from '../../../domain/amount.ts'
import type { StatsRow } from './read.ts'
import type { WalletStatsAnswer } from './schema.ts'

/** A wallet without an indexed swap has zeros. */
const NOTHING: StatsRow = {
  trade_count: 0,
  covered_sell_count: 0,
  win_count: 0,
  volume_lamports: 0,
  best_lamports: null,
  best_mint: null,
  worst_lamports: null,
  worst_mint: null,
}

export function presentStats(
  wallet: string,
  window: string,
  row: StatsRow = NOTHING,
): WalletStatsAnswer {
  const { covered_sell_count: covered, win_count: wins } = row
  return {
    wallet,
    window,
    total_trades: row.trade_count,
    win_count: wins,
    covered_sell_count: covered,
    win_rate: covered === 0 ? 0 : wins / covered,
    total_volume_sol: lamportsToSol(row.volume_lamports),
    best_trade_pnl_sol: lamportsToSol(row.best_lamports ?? 0),
    best_trade_mint: row.best_mint,
    worst_trade_pnl_sol: lamportsToSol(row.worst_lamports ?? 0),
    worst_trade_mint: row.worst_mint,
  }
}
