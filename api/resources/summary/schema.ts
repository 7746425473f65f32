/** Summary and highlights of a wallet: parameters and answers. */
import Type, { type Static } from 'typebox'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import { HISTORY_FIELDS } from '../../routing/reading/history.ts'
import {
  accountAddress,
  count,
  int64,
  nullable,
  pnlMode,
  sol,
  unbounded,
  usd,
  wallet,
} from '../../routing/schema.ts'
import { asOf } from '../as-of/schema.ts'
import { position } from '../pnl/schema.ts'

export const summaryRequest = Type.Object({ wallet })

const lamports = (description: string) => unbounded({ description: `${description}, lamports` })
const counted = (description: string) => Type.Integer({ minimum: 0, description })

const ofMode = Type.Object(
  {
    realized_lamports: lamports('Realized by the mode, since the first indexed trade'),
    realized_sol: sol({ description: 'The same in SOL' }),
    realized_usd: usd({ description: 'By the SOL/USD rate of now' }),
    unrealized_sol: nullable(
      sol({
        description: 'Value less cost of open positions with a price; null where none has one',
      }),
    ),
    unrealized_usd: usd({ description: 'Likewise' }),
    cost_basis_lamports: lamports('Cost of open positions, those without a price included'),
    cost_basis_sol: sol({ description: 'The same in SOL' }),
    cost_basis_usd: usd({ description: 'By the SOL/USD rate of now' }),
  },
  { title: 'PnlOfMode' },
)

export const walletPnl = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    open_count: counted('Open positions'),
    closed_count: counted('All other positions'),
    priced_position_count: counted('Open positions with a price'),
    current_value_sol: sol({ description: 'Value of open positions with a price' }),
    current_value_usd: usd({ description: 'By the SOL/USD rate of now' }),
    total_buys_sol: sol({ description: 'Paid in all buys' }),
    total_sells_sol: sol({ description: 'Received in all sells, uncovered ones too' }),
    total_buy_count: count({ description: 'Buys' }),
    total_sell_count: count({ description: 'Sells' }),
    win_count: count({ description: 'Covered sells with adjusted profit' }),
    covered_sell_count: count({ description: 'Sells that win_rate is a share of' }),
    win_rate: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Wins by covered sells, in every mode; 0 without any',
    }),
    first_trade_ts: nullable(
      int64({ description: 'Unix ms of the earliest first swap of a position; null without one' }),
    ),
    last_trade_ts: nullable(
      int64({ description: 'Unix ms of the latest last swap of a position; null without one' }),
    ),
    by_mode: Type.Object({ raw: ofMode, strict: ofMode, adjusted: ofMode }, { title: 'PnlByMode' }),
    sol_usd: usd({ description: 'The rate of all dollars here' }),
    sol_usd_timestamp: nullable(
      int64({ description: 'Unix ms of the newest minute that the rate is made from' }),
    ),
    sol_usd_source: nullable(
      Type.Enum(['swaps', 'fallback'], {
        description:
          'swaps: a median of minutes of swaps of USDC and USDT; fallback: the rate that operators set',
      }),
    ),
    ...HISTORY_FIELDS,
    as_of: Type.Optional(asOf),
  },
  { title: 'WalletPnl' },
)
export type WalletPnlAnswer = Static<typeof walletPnl>

export const highlightsRequest = Type.Object({ wallet, pnl_mode: pnlMode })

export const highlights = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    pnl_mode: Type.Enum([...PNL_MODES], { description: 'How it was counted' }),
    biggest_win: nullable(position),
    biggest_loss: nullable(position),
    biggest_bag: nullable(position),
    fastest_flip: nullable(position),
    longest_hold: nullable(position),
  },
  { title: 'WalletHighlights' },
)
export type HighlightsAnswer = Static<typeof highlights>
