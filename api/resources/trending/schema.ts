/** Trending tokens: parameters and answer. */
import Type, { type Static } from 'typebox'
import { TREND_WINDOWS } from '../../../domain/ranking.ts'
import { accountAddress, limit, nullable, sector, usd } from '../../routing/schema.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 20
const OFFSET_MAX = 200
const EXTRA_WINDOWS_MAX = 3

export const trendingRequest = Type.Object({
  window: Type.Enum([...TREND_WINDOWS], {
    default: '1h',
    description: 'Whole minutes that end with the newest indexed swap, never later than now',
  }),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  offset: Type.Integer({
    minimum: 0,
    maximum: OFFSET_MAX,
    default: 0,
    description: 'Tokens to pass over',
  }),
  sector: Type.Optional(sector),
  include_score: Type.Boolean({
    default: false,
    description: 'Adds trending_score and formula_breakdown',
  }),
  include_rugged: Type.Boolean({
    default: false,
    description: 'Includes tokens whose price fell by 90 % or more in the window',
  }),
  extra_windows: Type.Optional(
    Type.Array(Type.Enum([...TREND_WINDOWS]), {
      minItems: 1,
      maxItems: EXTRA_WINDOWS_MAX,
      description: 'Further windows, separated by commas: adds change_pct_by_window',
    }),
  ),
})
export type TrendingRequest = Static<typeof trendingRequest>

const part = (description: string) => Type.Number({ description })
const changePct = nullable(
  Type.Number({ description: 'Percent, of the largest pool; null without a priced trade' }),
)

const breakdown = Type.Object(
  {
    vol_velocity: part('ln(1 + SOL a minute)'),
    unique_buyers: part('ln(1 + distinct buyers)'),
    vol_acceleration: part('Volume against the equal window before, -1 to 5; 2.5 for a new mint'),
    buyer_acceleration: part('Buyers against the equal window before, likewise'),
    dev_sell_penalty: part(
      "Share of the creator's sells in the window's volume, times 4, at most 2",
    ),
    holder_growth: nullable(part('-1 to 2; null where no holder is known')),
    top10_penalty: nullable(part('0 to 1, by the share of the ten largest holders; likewise')),
  },
  { $id: 'TrendingBreakdown' },
)

const trendingToken = Type.Object(
  {
    mint: accountAddress({ description: 'Mint' }),
    change_pct: changePct,
    liquidity_usd: usd({ description: 'Twice the SOL of the top pool; null without a price' }),
    price_usd: usd({ description: 'Last priced trade of the top pool' }),
    volume_usd: usd({ description: 'SOL of all trades of the window, by the rate of now' }),
    trending_score: Type.Optional(Type.Number({ description: 'Weighted sum of the breakdown' })),
    formula_breakdown: Type.Optional(breakdown),
    change_pct_by_window: Type.Optional(
      Type.Record(Type.String(), changePct, { description: 'By requested window' }),
    ),
  },
  { $id: 'TrendingToken' },
)

export const trending = Type.Object(
  {
    window: Type.Enum([...TREND_WINDOWS], { description: 'As requested' }),
    sector: nullable(Type.String({ description: 'As requested' })),
    results: Type.Array(trendingToken),
    total: Type.Integer({ minimum: 0, description: 'Tokens scored, before slicing' }),
    offset: Type.Integer({ description: 'As requested' }),
    limit: Type.Integer({ description: 'As requested' }),
  },
  { title: 'Trending' },
)
export type TrendingAnswer = Static<typeof trending>
