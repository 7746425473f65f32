/** The leaderboard and the calendar of KOLs: parameters and answers. */
import Type, { type Static } from 'typebox'
import { ARBITRAGES_MIN } from '../../../domain/ledger/arbitrage.ts'
import { ARBITRAGE_DAYS, LEADERBOARD_PERIODS } from '../../../domain/wallet/leaderboard.ts'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import { accountAddress, limit, offset, pnlMode, sol, utcDate } from '../../routing/schema.ts'

const LIMIT_MAX = 1000
const LIMIT_DEFAULT = 100
const TOP_MAX = 30
const TOP_DEFAULT = 20
/** Inclusive days of a calendar. */
export const KOL_CALENDAR_DAYS_MAX = 90

const mode = Type.Enum([...PNL_MODES], { description: 'How realized was counted' })
const period = (options: { default?: '7d' } = {}) =>
  Type.Enum([...LEADERBOARD_PERIODS], {
    description:
      'Trailing window of whole hours that ends with the newest indexed swap, never later than now',
    ...options,
  })
const wallet = accountAddress({ description: 'Wallet' })

export const leaderboardRequest = Type.Object({
  period: period({ default: '7d' }),
  exclude_arbitrage: Type.Boolean({
    default: true,
    description:
      `Leaves out wallets of which, in the trailing ${ARBITRAGE_DAYS} days, at least ${ARBITRAGES_MIN} transactions and half of all ` +
      'bought and sold the same mint; ranks count without them',
  }),
  pnl_mode: pnlMode,
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  offset,
})
export type LeaderboardRequest = Static<typeof leaderboardRequest>

export const rank = Type.Object(
  {
    rank: Type.Integer({ minimum: 1, description: 'From 1 + offset' }),
    wallet,
    realized_sol: sol({ description: 'Realized PnL in the window, by pnl_mode' }),
    win_rate: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of covered sells of the window with adjusted profit; 0 without any',
    }),
    covered_sell_count: Type.Integer({
      minimum: 0,
      description: 'Sells that win_rate is a share of',
    }),
    trade_count: Type.Integer({ minimum: 1, description: 'Swaps in the window' }),
    is_kol: Type.Boolean({ description: 'Whether an operator named it a KOL' }),
    tags: Type.Array(Type.String(), { description: 'Tags of the wallet on any mint' }),
  },
  { title: 'LeaderboardRow' },
)

export const leaderboard = Type.Object(
  {
    period: period(),
    exclude_arbitrage: Type.Boolean({ description: 'As requested' }),
    pnl_mode: mode,
    limit: Type.Integer({ description: 'As requested' }),
    offset: Type.Integer({ description: 'As requested' }),
    leaderboard: Type.Array(rank),
  },
  { title: 'Leaderboard' },
)
export type LeaderboardAnswer = Static<typeof leaderboard>

export const calendarRequest = Type.Object({
  from: Type.Optional(utcDate({ description: 'First UTC date; usually 30 days before `to`' })),
  to: Type.Optional(utcDate({ description: 'Last UTC date, inclusive; usually today' })),
  pnl_mode: pnlMode,
  top_n: Type.Integer({
    minimum: 1,
    maximum: TOP_MAX,
    default: TOP_DEFAULT,
    description: 'Number of KOLs, by all-time realized PnL',
  }),
})
export type CalendarRequest = Static<typeof calendarRequest>

const date = Type.String({ format: 'date', description: 'UTC date' })

export const calendar = Type.Object(
  {
    scope: Type.Literal('kols'),
    pnl_mode: mode,
    from: date,
    to: date,
    top_n: Type.Integer({ description: 'As requested; there may be fewer KOLs' }),
    days: Type.Array(date, { description: 'Every day of the range' }),
    rows: Type.Array(
      Type.Object(
        {
          wallet,
          display_name: Type.String(),
          twitter_handle: Type.String({ description: 'Without the @; empty where there is none' }),
          is_kol: Type.Literal(true),
          all_time_realized_sol: sol({
            description: 'Realized PnL of all indexed swaps, by pnl_mode',
          }),
          cells: Type.Array(
            Type.Object(
              {
                day: date,
                realized_sol: sol({
                  description: 'Realized PnL of that day, by pnl_mode; 0 without a trade',
                }),
              },
              { title: 'KolCalendarDay' },
            ),
            { description: 'One a day, in the order of days' },
          ),
        },
        { title: 'KolCalendarRow' },
      ),
    ),
  },
  { title: 'KolCalendar' },
)
export type CalendarAnswer = Static<typeof calendar>
