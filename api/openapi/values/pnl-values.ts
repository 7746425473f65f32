/** Example values by name: summaries, days, highlights and trades of wallets. Pure. */
import { pricePerToken, wholeTokens } from '../../../domain/amount.ts'
import * as story from '../../examples/story.ts'
import { under } from './under.ts'

const { DAY, POSITION, SALE_MS } = story
/** Price of the sale is the newest, that of the buy the highest. */
const ATH_SOL = Math.max(
  POSITION.paidSol / wholeTokens(POSITION.bought, POSITION.decimals),
  story.PRICE_SOL,
)

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
  'TraderTotals.trade_count': 2,
  transaction_count: 2,
  'TraderTotals.token_count': 1,
  uncovered_sell_lamports: 0,
  'TraderTotals.volume_sol': POSITION.paidSol + POSITION.proceedsSol,
  ...under('GlobalTotals', {
    trade_count: 48_210_334,
    volume_lamports: 61_502_340_211_000_000,
    volume_sol: 61_502_340.211,
    volume_usd: story.usdOf(61_502_340.211),
    trader_count: 912_044,
    token_count: 80_114,
    pool_count: 96_230,
    newest_slot: story.SALE_SLOT,
  }),
  'GlobalTotals.first_timestamp': story.CREATION_MS,
  'GlobalTotals.newest_timestamp': SALE_MS,
  ath_price_sol: ATH_SOL,
  ath_price_usd: story.usdOf(ATH_SOL),
  from_ath_pct: (story.PRICE_SOL / ATH_SOL - 1) * 100,
  'TokenTraders.total': 1,
  'FirstBuyer.place': 1,
  ...under('FirstBuyer', {
    sol_amount: story.SWAP.sol_amount,
    token_amount: story.SWAP.token_amount,
    is_sniper: false,
    is_insider: false,
    state: 'sold_some',
  }),
  month: DAY.slice(0, 'YYYY-MM'.length),
  'months.trade_count': 2,
  win_days: 1,
  loss_days: 0,
  'CalendarDay.volume_sol': POSITION.paidSol + POSITION.proceedsSol,
  'CalendarDay.token_count': 1,
}
