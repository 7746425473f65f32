/** Ranks as the interface shows them: the same for REST and GraphQL. Pure. */
import { lamportsToSol } from '../../streams/amount.ts'
import type { RankRow } from './read.ts'
import type { LeaderboardAnswer, LeaderboardAsked } from './schema.ts'

export function presentLeaderboard(
  { period, exclude_arbitrage, pnl_mode, limit, offset }: LeaderboardAsked,
  rows: readonly RankRow[],
): LeaderboardAnswer {
  const leaderboard = rows.map((row) => ({
    rank: row.rank,
    wallet: row.wallet,
    realized_sol: lamportsToSol(row.realized),
    win_rate: row.covered_sell_count === 0 ? 0 : row.win_count / row.covered_sell_count,
    trade_count: row.trade_count,
    is_kol: row.is_kol,
    tags: [],
  }))
  return { period, exclude_arbitrage, pnl_mode, limit, offset, leaderboard }
}
