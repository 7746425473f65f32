/** Ranks and calendars as the interface shows them: the same for REST and GraphQL. Pure. */
import { lamportsToSol } from '../../../domain/amount.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { dateOf } from '../../../domain/time/utc-day.ts'
import type { DateRange } from '../../routing/reading/date-range.ts'
import type { KolDayRow, RankRow, TaggedRank } from './read.ts'
import type {
  CalendarAnswer,
  CalendarRequest,
  LeaderboardAnswer,
  LeaderboardRequest,
} from './schema.ts'

export function presentLeaderboard(
  { period, exclude_arbitrage, pnl_mode, limit, offset }: LeaderboardRequest,
  rows: readonly TaggedRank[],
): LeaderboardAnswer {
  const leaderboard = rows.map(presentRank)
  return { period, exclude_arbitrage, pnl_mode, limit, offset, leaderboard }
}

export function presentRank(row: TaggedRank): LeaderboardAnswer['leaderboard'][number] {
  return { ...presentFigures(row), is_kol: row.is_kol, tags: row.tags }
}

/** A rank without what is known of its wallet now. */
export function presentFigures(row: Omit<RankRow, 'is_kol'>) {
  return {
    rank: row.rank,
    wallet: row.wallet,
    realized_sol: lamportsToSol(row.realized),
    win_rate: row.covered_sell_count === 0 ? 0 : row.win_count / row.covered_sell_count,
    covered_sell_count: row.covered_sell_count,
    trade_count: row.trade_count,
  }
}

/** Every row has a cell for every day of the range; a day without a trade realized 0. */
export function presentCalendar(
  { pnl_mode, top_n }: Pick<CalendarRequest, 'pnl_mode' | 'top_n'>,
  { from, to, fromMs, toMs }: DateRange,
  kolDays: readonly KolDayRow[],
): CalendarAnswer {
  const days = Array.from({ length: (toMs - fromMs) / DAY_MS + 1 }, (_, number) =>
    dateOf(fromMs + number * DAY_MS),
  )
  const byWallet = Map.groupBy(kolDays, ({ wallet }) => wallet)
  const rows = Array.from(byWallet.values(), (own) => {
    const [kol] = own as [KolDayRow]
    const realized = new Map(own.map((each) => [each.day_ms ?? 0, each.realized ?? 0]))
    return {
      wallet: kol.wallet,
      display_name: kol.display_name,
      twitter_handle: kol.twitter_handle,
      is_kol: true as const,
      all_time_realized_sol: lamportsToSol(kol.all_time),
      cells: days.map((day, number) => ({
        day,
        realized_sol: lamportsToSol(realized.get(fromMs + number * DAY_MS) ?? 0),
      })),
    }
  })
  return { scope: 'kols', pnl_mode, from, to, top_n, days, rows }
}
