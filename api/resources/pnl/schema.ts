/** PnL of a wallet: parameters and answers of its positions, its performance and its risk. */
import Type, { type Static } from 'typebox'
import { ARBITRAGES_MIN } from '../../../domain/ledger/arbitrage.ts'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import {
  accountAddress,
  int64,
  limit,
  nullable,
  offset,
  pnlMode,
  sol,
  unbounded,
  usd,
  utcDate,
  wallet,
} from '../../routing/schema.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
const VALUE_MAX_SOL = 9_223_372_036

const mode = Type.Enum([...PNL_MODES], { title: 'PnlMode', description: 'How it was counted' })
const mint = accountAddress({ description: 'Token mint' })
const counted = (description: string) => Type.Integer({ minimum: 0, description })
const seconds = (description: string) => nullable(Type.Number({ minimum: 0, description }))

export const positionsRequest = Type.Object({
  wallet,
  status: Type.Enum(['open', 'closed', 'all'], {
    title: 'PositionStatus',
    default: 'open',
    description:
      'open: balance > 0 and, once the wallet was reconciled, held on chain in the newest pass; ' +
      'closed: all others',
  }),
  min_value_sol: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: VALUE_MAX_SOL,
      description:
        'Least current_value_sol, inclusive, after pricing; drops positions without a price',
    }),
  ),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  offset,
  pnl_mode: pnlMode,
  mint: Type.Optional(mint),
  sort: Type.Enum(['value', 'realized', 'unrealized'], {
    default: 'value',
    description: 'Descending; positions without a price last, ties by mint',
  }),
  breakdown: Type.Boolean({
    default: false,
    description: '1: every position carries realized_breakdown',
  }),
})

const baseUnits = (description: string) => unbounded({ description })

export const position = Type.Object(
  {
    mint,
    balance_atomic: baseUnits('Base units held, as swaps moved them'),
    qty: Type.Number({ description: 'Whole tokens held' }),
    price_sol: nullable(
      Type.Number({ description: 'SOL per whole token of now; null without any' }),
    ),
    avg_cost_per_token: sol({ description: 'SOL a whole token; 0 without a balance' }),
    cost_basis_sol: sol({ description: 'strict: remaining lots; otherwise the running average' }),
    cost_basis_lamports: baseUnits('The same, exactly'),
    realized_sol: sol({ description: 'Realized PnL by pnl_mode' }),
    unrealized_sol: nullable(sol({ description: 'Value less cost basis; null without a price' })),
    current_value_sol: nullable(sol({ description: 'At the price of now; null without one' })),
    total_buys_sol: sol({ description: 'Paid in all buys' }),
    total_sells_sol: sol({ description: 'Received in all sells, uncovered ones too' }),
    total_buy_count: counted('Buys'),
    total_sell_count: counted('Sells'),
    largest_buy_sol: sol({ description: '0 without a buy' }),
    largest_sell_sol: sol({ description: '0 without a sell' }),
    fastest_flip_seconds: seconds('Least time from newest buy to sell; null before a covered sell'),
    longest_hold_seconds: seconds('Greatest age of a lot sold; null before a covered sell'),
    first_trade_ts: int64({ description: 'Unix ms of the canonically first swap' }),
    last_trade_ts: int64({ description: 'Unix ms of the canonically last swap' }),
    is_arbitrageur: Type.Boolean({
      description: `At least ${ARBITRAGES_MIN} transactions that bought and sold this mint, and half of its transactions`,
    }),
    tags: Type.Array(Type.String(), {
      description: 'Tags of the wallet in this mint, as of its newest profile',
    }),
    uncovered_sell_qty: Type.Number({
      description: 'Whole tokens sold that no buy of ours brought',
    }),
    uncovered_sell_sol: sol({ description: 'Proceeds of those, in no realized but raw' }),
    realized_usd: usd({ description: 'By the SOL/USD rate of now' }),
    unrealized_usd: usd({ description: 'Likewise; null without a price' }),
    current_value_usd: usd({ description: 'Likewise; null without a price' }),
    cost_basis_usd: usd({ description: 'Likewise' }),
    realized_breakdown: Type.Optional(
      Type.Object(
        {
          raw: sol({ description: 'Sells less buys' }),
          strict: sol({ description: 'FIFO' }),
          adjusted: sol({ description: 'Weighted average' }),
        },
        { title: 'RealizedBreakdown' },
      ),
    ),
  },
  { title: 'Position' },
)
export type PositionAnswer = Static<typeof position>

export const positionList = Type.Object(
  {
    wallet,
    pnl_mode: mode,
    total: counted('Positions that can be paged: any offset below has a row'),
    limit: Type.Integer({ description: 'As requested' }),
    offset: Type.Integer({ description: 'As requested' }),
    positions: Type.Array(position),
    onchain_held_count: nullable(counted('Mints held on chain; null unless reconciled')),
    unmatched_onchain_count: nullable(
      counted('Mints held on chain without a position; null unless reconciled'),
    ),
    reconciled: Type.Boolean({
      description: 'Whether the wallet was ever compared with the chain',
    }),
  },
  { title: 'Positions' },
)
export type PositionListAnswer = Static<typeof positionList>

const date = Type.String({ format: 'date', description: 'UTC date' })

export const performanceRequest = Type.Object({
  wallet,
  from: Type.Optional(utcDate({ description: 'First UTC date; usually 30 days before `to`' })),
  to: Type.Optional(utcDate({ description: 'Last UTC date, inclusive; usually today' })),
  pnl_mode: pnlMode,
})

const dayResult = nullable(
  Type.Object(
    { day: date, realized_sol: sol({ description: 'Realized PnL of that day' }) },
    { title: 'DayResult' },
  ),
)

export const performance = Type.Object(
  {
    wallet,
    pnl_mode: mode,
    from: date,
    to: date,
    best_day: dayResult,
    worst_day: dayResult,
    current_streak: Type.Object(
      {
        kind: Type.Enum(['win', 'loss', 'none']),
        length: counted('Days'),
      },
      { title: 'Streak' },
    ),
    longest_win_streak: counted('Days'),
    longest_loss_streak: counted('Days'),
    max_drawdown_realized_sol: sol({
      description: 'Largest fall of cumulative realized below its running peak, which starts at 0',
    }),
    max_drawdown_realized_pct: nullable(
      Type.Number({ description: 'That fall in percent of that peak; null for a peak <= 0' }),
    ),
    max_drawdown_value_sol: sol({
      description: 'Largest fall of close-based equity: net cash flow plus portfolio value',
    }),
    max_drawdown_value_basis: Type.Literal('close_based_equity_curve'),
    active_days: counted('Days with a trade'),
    realized_sol: sol({ description: 'Sum of the days of the range' }),
    days: Type.Array(
      Type.Object(
        {
          day: date,
          is_active: Type.Boolean({ description: 'Whether it has a trade' }),
          realized_sol: sol({ description: 'Realized PnL of that day; 0 without a trade' }),
          equity_sol: sol({
            description:
              "Net cash flow since the first trade plus the chart's value at the day's end",
          }),
        },
        { title: 'PerformanceDay' },
      ),
      { description: 'Every day of the range from the first trade on, at the latest today' },
    ),
  },
  { title: 'Performance' },
)
export type PerformanceAnswer = Static<typeof performance>

export const riskRequest = Type.Object({ wallet })

const unrealized = (description: string) => nullable(sol({ description }))
const percent = (description: string) => nullable(Type.Number({ description }))

export const risk = Type.Object(
  {
    wallet,
    concentration: Type.Object(
      {
        top1_pct: percent('Share of the largest position, 0 to 100; null without value'),
        top3_pct: percent('Share of the three largest positions, likewise'),
        top5_pct: percent('Share of the five largest positions, likewise'),
        hhi: percent('Sum of squared shares, 0 to 1'),
      },
      { title: 'ValueConcentration' },
    ),
    total_open_value_sol: sol({ description: 'Value of open positions with a price' }),
    total_open_value_usd: usd({ description: 'By the SOL/USD rate of now' }),
    exposure: Type.Object(
      {
        open_positions: counted('Open positions'),
        closed_positions: counted('All others'),
        quote_positions: counted('Open positions in quote mints (USDC, USDT, staked SOL)'),
        arbitrageur_positions: counted('Open and closed ones marked is_arbitrageur'),
        pct_arbitrageur: Type.Number({
          description: 'Arbitrageur positions as a share of all positions, in percent',
        }),
        quote_value_sol: sol({ description: 'Value of open quote positions with a price' }),
        nonquote_value_sol: sol({ description: 'Total less quote' }),
      },
      { title: 'Exposure' },
    ),
    priced_position_count: counted('Open positions with a price'),
    open_count: counted('Open positions'),
    open_cost_lamports: Type.Object(
      {
        raw: baseUnits('Cost by the running average, lamports'),
        strict: baseUnits('Cost of the remaining lots, lamports'),
        adjusted: baseUnits('Cost by the running average, lamports'),
      },
      { title: 'OpenCost', description: 'Cost of open positions, those without a price included' },
    ),
    open_unrealized_sol: Type.Object(
      {
        raw: unrealized('By the running average'),
        strict: unrealized('By the remaining lots'),
        adjusted: unrealized('By the running average'),
      },
      {
        title: 'OpenUnrealized',
        description: 'Value less cost of open positions with a price; null where none has one',
      },
    ),
  },
  { title: 'Risk' },
)
export type RiskAnswer = Static<typeof risk>
