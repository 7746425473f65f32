/** The leaderboard and the calendar of KOLs: parameters and answers. */
import Type, { type Static } from 'typebox'
import { LEADERBOARD_PERIODS } from '../../streams/leaderboard.ts'
import { PNL_MODES } from '../../streams/pnl-mode.ts'
import { accountAddress, limit, offset, pnlMode, sol } from '../schema.ts'

const LIMIT_MAX = 1000
const LIMIT_DEFAULT = 100

const mode = Type.Enum([...PNL_MODES], { description: 'How realized was counted' })
const period = (options: { default?: '7d' } = {}) =>
  Type.Enum([...LEADERBOARD_PERIODS], {
    description: 'Trailing window of whole hours that ends with the newest indexed swap',
    ...options,
  })
const wallet = accountAddress({ description: 'Wallet' })

export const leaderboardAsked = Type.Object({
  period: period({ default: '7d' }),
  exclude_arbitrage: Type.Boolean({
    default: false,
    description:
      'Leaves out wallets of which, in the trailing 30 days, at least 3 transactions and half of all ' +
      'bought and sold the same mint; ranks count without them',
  }),
  pnl_mode: pnlMode,
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  offset,
})
export type LeaderboardAsked = Static<typeof leaderboardAsked>

export const leaderboard = Type.Object(
  {
    period: period(),
    exclude_arbitrage: Type.Boolean({ description: 'As asked' }),
    pnl_mode: mode,
    limit: Type.Integer({ description: 'As asked' }),
    offset: Type.Integer({ description: 'As asked' }),
    leaderboard: Type.Array(
      Type.Object({
        rank: Type.Integer({ minimum: 1, description: 'From 1 + offset' }),
        wallet,
        realized_sol: sol({ description: 'In the window, by pnl_mode' }),
        win_rate: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Share of covered sells of the window with adjusted profit; 0 without any',
        }),
        trade_count: Type.Integer({ minimum: 1, description: 'Swaps in the window' }),
        is_kol: Type.Boolean({ description: 'Whether an operator named it a KOL' }),
        tags: Type.Array(Type.String(), { description: 'Tags of the wallet on any mint' }),
      }),
    ),
  },
  { title: 'Leaderboard' },
)
export type LeaderboardAnswer = Static<typeof leaderboard>
