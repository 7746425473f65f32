/** Totals since the first indexed swap: of one trader, and of everything. Parameters and answers. */
import Type, { type Static } from 'typebox'
import {
  accountAddress,
  count,
  int64,
  nullable,
  sol,
  unbounded,
  usd,
  wallet,
} from '../../routing/schema.ts'

export const traderRequest = Type.Object({ wallet })
export const globalRequest = Type.Object({})

const lamports = (description: string) => unbounded({ description: `${description}, lamports` })
const ms = (description: string) =>
  nullable(int64({ description: `Unix ms of ${description}; null without one` }))

const traderTotals = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    trade_count: count({ description: 'Buys and sells' }),
    buy_count: count({ description: 'Buys' }),
    sell_count: count({ description: 'Sells' }),
    transaction_count: count({ description: 'Transactions, of each mint' }),
    token_count: count({ description: 'Mints traded' }),
    covered_sell_count: count({ description: 'Sells that win_rate is a share of' }),
    win_count: count({ description: 'Covered sells with adjusted profit' }),
    win_rate: Type.Number({ minimum: 0, maximum: 1, description: '0 without a covered sell' }),
    volume_lamports: lamports('SOL legs of all trades'),
    volume_sol: sol({ description: 'The same in SOL' }),
    buys_lamports: lamports('Paid in all buys'),
    sells_lamports: lamports('Received in all sells'),
    uncovered_sell_lamports: lamports(
      'Part of sells_lamports, for tokens that no indexed buy brought',
    ),
    realized_raw_lamports: lamports('Sells less buys'),
    realized_strict_lamports: lamports('Realized by FIFO'),
    realized_adjusted_lamports: lamports('Realized by weighted average'),
    first_trade_ts: ms('the earliest first swap of a position'),
    last_trade_ts: ms('the latest last swap of a position'),
  },
  { title: 'TraderTotals' },
)
export type TraderTotalsAnswer = Static<typeof traderTotals>
export const ofTrader = Type.Object({ success: Type.Literal(true), data: traderTotals })

const globalTotals = Type.Object(
  {
    trade_count: count({ description: 'Swaps' }),
    volume_lamports: lamports('SOL legs of all swaps'),
    volume_sol: sol({ description: 'The same in SOL' }),
    volume_usd: usd({ description: 'By the SOL/USD rate of now' }),
    trader_count: count({ description: 'Wallets that were ever indexed' }),
    token_count: count({ description: 'Mints with a swap' }),
    pool_count: count({ description: 'Pools with a swap' }),
    first_timestamp: ms('the earliest swap'),
    newest_timestamp: ms('the latest swap'),
    newest_slot: nullable(int64({ description: 'Greatest slot of a swap' })),
    sol_usd: usd({ description: 'US dollars a SOL, now' }),
  },
  { title: 'GlobalTotals' },
)
export type GlobalTotalsAnswer = Static<typeof globalTotals>
export const ofGlobal = Type.Object({ success: Type.Literal(true), data: globalTotals })
