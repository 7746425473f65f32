/** Example values by name: summaries, days, highlights and trades of wallets. Pure. */
import { pricePerToken } from '../../../domain/amount.ts'
import * as story from '../../examples/story.ts'
import { under } from './under.ts'

const { DAY, POSITION, SALE_MS } = story

/** Dates of the examples of routes with a range of days. */
const DATED = ['history', 'calendar'].flatMap((name) =>
  ['from', 'to'].map((end) => [`/v2/pnl/wallets/{wallet}/${name} ${end}`, DAY]),
)

export const OF_PNL = {
  ...Object.fromEntries(DATED),
  closed_count: 0,
  sol_usd: story.usdOf(1),
  sol_usd_timestamp: SALE_MS,
  'WalletHighlights.biggest_loss': null,
  'HistoryDay.is_active': true,
  'HistoryDay.provisional': false,
  realized_total_sol: POSITION.realizedSol,
  ...under('WalletTrade', {
    signature: story.SALE,
    slot: story.SALE_SLOT,
    timestamp: SALE_MS,
    is_buy: false,
    sol_amount: POSITION.proceedsLamports,
    token_amount: POSITION.sold,
    price_per_token: pricePerToken(POSITION.proceedsLamports, POSITION.sold),
    cost_lamports: POSITION.soldCostLamports,
  }),
  month: DAY.slice(0, 'YYYY-MM'.length),
  'months.trade_count': 2,
  win_days: 1,
  loss_days: 0,
  'CalendarDay.volume_sol': POSITION.paidSol + POSITION.proceedsSol,
  'CalendarDay.token_count': 1,
}
