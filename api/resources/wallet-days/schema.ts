/** A wallet's days: its history with realized, unrealized and value, and its calendar. Parameters and answers. */
import Type, { type Static } from 'typebox'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import { accountAddress, count, pnlMode, sol, usd, utcDate, wallet } from '../../routing/schema.ts'

/** Days of a calendar, at most. */
export const WALLET_CALENDAR_DAYS_MAX = 366

export const daysRequest = Type.Object({
  wallet,
  from: Type.Optional(utcDate({ description: 'First UTC date; usually 30 days before `to`' })),
  to: Type.Optional(utcDate({ description: 'Last UTC date, inclusive; usually today' })),
  pnl_mode: pnlMode,
})

const date = Type.String({ format: 'date', description: 'UTC date' })
const range = {
  wallet: accountAddress({ description: 'Wallet' }),
  pnl_mode: Type.Enum([...PNL_MODES], { description: 'How realized and cost basis were counted' }),
  from: date,
  to: date,
}
const counted = (description: string) => Type.Integer({ minimum: 0, description })

const historyDay = Type.Object(
  {
    day: date,
    is_active: Type.Boolean({ description: 'Whether it has a trade' }),
    realized_sol: sol({ description: 'Realized PnL of that day; 0 without a trade' }),
    realized_total_sol: sol({ description: 'Sum of all days up to this one' }),
    cost_basis_sol: sol({ description: "Cost of the wallet's holdings at the day's end" }),
    unrealized_sol: sol({ description: 'value_sol less cost_basis_sol' }),
    value_sol: sol({
      description: "Value of the holdings at the day's end, by the closes of that day",
    }),
    value_usd: usd({ description: 'The same by the rate of now' }),
    provisional: Type.Boolean({ description: 'false: the value is closed, never to change' }),
  },
  { title: 'HistoryDay' },
)

export const history = Type.Object(
  {
    ...range,
    days: Type.Array(historyDay, {
      description: 'Every day of the range from the first trade on, at the latest today',
    }),
  },
  { title: 'WalletHistory' },
)
export type HistoryAnswer = Static<typeof history>

const calendarDay = Type.Object(
  {
    day: date,
    realized_sol: sol({ description: 'Realized PnL of that day' }),
    volume_sol: sol({ description: 'SOL legs of all trades' }),
    buy_count: count({ description: 'Buys' }),
    sell_count: count({ description: 'Sells' }),
    covered_sell_count: count({ description: 'Sells of tokens that an indexed buy brought' }),
    win_count: count({ description: 'Covered sells with adjusted profit' }),
    token_count: counted('Mints traded'),
  },
  { title: 'CalendarDay' },
)

export const calendar = Type.Object(
  {
    ...range,
    months: Type.Array(
      Type.Object(
        {
          month: Type.String({ description: 'YYYY-MM, by UTC' }),
          realized_sol: sol({ description: 'Sum of its days in the range' }),
          trade_count: counted('Buys and sells'),
          active_days: counted('Days with a trade'),
          win_days: counted('Days with realized > 0'),
          loss_days: counted('Days with realized < 0'),
          days: Type.Array(calendarDay, { description: 'Days with a trade, ascending' }),
        },
        { title: 'CalendarMonth' },
      ),
      { description: 'Months with a trade, ascending' },
    ),
  },
  { title: 'WalletCalendar' },
)
export type CalendarAnswer = Static<typeof calendar>
