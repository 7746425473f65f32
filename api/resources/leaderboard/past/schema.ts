/** Leaderboards as of a slot, which jobs compute: the question, its state and its answer. */
import Type, { type Static } from 'typebox'
import { nullable } from '../../../routing/schema.ts'
import { AS_OF_PARAMETERS, asOf } from '../../as-of/schema.ts'
import { leaderboard, leaderboardRequest, rank } from '../schema.ts'

/** An id of no job, for the documents. */
export const EXAMPLE_ID = '00000000-0000-4000-8000-000000000002'

const { period, exclude_arbitrage, pnl_mode, limit } = leaderboardRequest.properties

export const pastBody = Type.Object(
  { ...AS_OF_PARAMETERS, period, exclude_arbitrage, pnl_mode, limit },
  { title: 'PastLeaderboardRequest' },
)
export type PastRequest = Static<typeof pastBody>

export const noParameters = Type.Object({})
export const ofRanking = Type.Object({
  id: Type.String({
    ...{ format: 'plain-text', minLength: 1, maxLength: 36 },
    description: 'Id of the job',
  }),
})

const { tags: _tags, is_kol: _kol, ...figures } = rank.properties
const { offset: _offset, leaderboard: _rows, ...settings } = leaderboard.properties

export const pastLeaderboard = Type.Object(
  {
    id: Type.String({ description: 'Id of the job that computed it' }),
    ...settings,
    as_of: asOf,
    leaderboard: Type.Array(Type.Object(figures, { title: 'PastLeaderboardRow' })),
  },
  { title: 'PastLeaderboard' },
)
export type PastLeaderboard = Static<typeof pastLeaderboard>

export const rankingJob = Type.Object(
  {
    id: Type.String({ description: 'Its id in GET /v2/asof/leaderboard/{id}' }),
    status: Type.Enum(['waiting', 'running'], { title: 'PastLeaderboardStatus' }),
    wallets: Type.Integer({
      minimum: 0,
      description: 'Wallets whose swaps up to the slot are folded; 0 until they are counted',
    }),
    wallets_done: Type.Integer({ minimum: 0, description: 'Those of them that are folded' }),
    eta_ms: nullable(
      Type.Integer({ minimum: 0, description: 'Estimated milliseconds to the end; null at first' }),
    ),
  },
  {
    title: 'PastLeaderboardJob',
    examples: [
      {
        ...{ id: EXAMPLE_ID, status: 'running', wallets: 5_120, wallets_done: 1_280 },
        eta_ms: 4_210,
      },
    ],
  },
)
export type RankingJob = Static<typeof rankingJob>

export const cancelled = Type.Object(
  {
    id: Type.String({ description: 'Id of the job' }),
    status: Type.Literal('cancelled'),
  },
  { title: 'CancelledLeaderboard', examples: [{ id: EXAMPLE_ID, status: 'cancelled' }] },
)
