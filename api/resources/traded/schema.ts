/** Tokens that a wallet traded in a window, with what each contributed: parameters and answer. */
import Type, { type Static } from 'typebox'
import { TRAILING_WINDOWS } from '../../../domain/time/wallet-window.ts'
import { PNL_MODES } from '../../../domain/wallet/pnl-mode.ts'
import {
  accountAddress,
  count,
  int64,
  limit,
  offset,
  pnlMode,
  unbounded,
  utcDate,
  wallet,
} from '../../routing/schema.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50

export const TRADED_SORTS = ['realized', 'volume', 'trades', 'wins'] as const

export const tradedRequest = Type.Object({
  wallet,
  window: Type.Enum([...TRAILING_WINDOWS], {
    default: '30d',
    description:
      'Trailing window of whole hours, as of statistics and leaderboards; all: since the first indexed trade',
  }),
  from: Type.Optional(
    utcDate({ description: 'First UTC date; with from or to, days replace window' }),
  ),
  to: Type.Optional(utcDate({ description: 'Last UTC date, inclusive; usually today' })),
  pnl_mode: pnlMode,
  sort: Type.Enum([...TRADED_SORTS], {
    default: 'realized',
    description: 'Descending, ties by mint',
  }),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  offset,
})
export type TradedRequest = Static<typeof tradedRequest>

const lamports = (description: string) => unbounded({ description: `${description}, lamports` })

const figures = {
  realized_lamports: lamports('Realized by pnl_mode'),
  volume_lamports: lamports('SOL legs'),
  buy_count: count({ description: 'Buys' }),
  sell_count: count({ description: 'Sells' }),
  covered_sell_count: count({ description: 'Sells of tokens that an indexed buy brought' }),
  win_count: count({ description: 'Covered sells with adjusted profit' }),
}

export const tradedTokens = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    pnl_mode: Type.Enum([...PNL_MODES], { description: 'How realized was counted' }),
    from_timestamp: int64({ description: 'Unix ms with which the first hour begins' }),
    to_timestamp: int64({ description: 'Unix ms of the last moment of the last hour' }),
    total: count({ description: 'Tokens that were traded: any offset below has a row' }),
    limit: Type.Integer({ description: 'As requested' }),
    offset: Type.Integer({ description: 'As requested' }),
    totals: Type.Object(figures, {
      title: 'TradedTotals',
      description: 'Sums of all tokens, of other pages too',
    }),
    tokens: Type.Array(
      Type.Object(
        { mint: accountAddress({ description: 'Token mint' }), ...figures },
        { title: 'TradedToken' },
      ),
    ),
  },
  { title: 'TradedTokens' },
)
export type TradedAnswer = Static<typeof tradedTokens>
