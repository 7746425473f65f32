/**
 * Schemas of the channels of latest values: filters, and items in the shapes of REST with the fields that identify
 * them. The same schema validates a filter and is published in /asyncapi.json.
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { TREND_WINDOWS } from '../../../domain/ranking.ts'
import { TIMEFRAMES } from '../../../domain/time/timeframe.ts'
import { MOVER_TIMEFRAMES } from '../../../domain/time/trade-window.ts'
import { candle } from '../../resources/candles/schema.ts'
import { movers, moversRequest } from '../../resources/movers/schema.ts'
import { tokenStats } from '../../resources/token-stats/schema.ts'
import { trending, trendingRequest } from '../../resources/trending/schema.ts'
import { accountAddress } from '../../routing/schema.ts'

export const LATEST_CHANNELS = ['candles', 'token_stats', 'rankings'] as const
/** Channel that sends a snapshot and then the newest value of each key; queued older values are overwritten. */
export type LatestChannel = (typeof LATEST_CHANNELS)[number]

/** Maximum candles per subscription; tokens as in /stats/tokens; ranks that fit a frame of 64 KiB. */
export const CANDLES_MAX = 100
const STATS_MAX = 200
const RANKS_MAX = 50

const account = accountAddress({ description: 'Base58 of 32 bytes' })

export const candlesFilter = Type.Object(
  {
    pools: Type.Array(account, {
      maxItems: CANDLES_MAX,
      default: [],
      description: `Pair accounts; of pools and tokens one is needed, ${CANDLES_MAX} at most together`,
    }),
    tokens: Type.Array(account, {
      maxItems: CANDLES_MAX,
      default: [],
      description: 'Mints: the top pool of each',
    }),
    timeframe: Type.Enum([...TIMEFRAMES], { default: '1m', description: 'Width of a candle' }),
  },
  { title: 'CandlesFilter' },
)
export type CandlesFilter = Static<typeof candlesFilter>

export const tokenStatsFilter = Type.Object(
  { tokens: Type.Array(account, { minItems: 1, maxItems: STATS_MAX, description: 'Mints' }) },
  { title: 'TokenStatsFilter' },
)
export type TokenStatsFilter = Static<typeof tokenStatsFilter>

const { limit: trendingLimit, offset: _offset, ...trendingFields } = trendingRequest.properties
export const trendingFilter = Type.Object(
  {
    board: Type.Literal('trending'),
    ...trendingFields,
    limit: Type.Integer({ ...trendingLimit, maximum: RANKS_MAX }),
  },
  { title: 'TrendingFilter' },
)
export type TrendingFilter = Static<typeof trendingFilter>

export const moversFilter = Type.Object(
  {
    board: Type.Literal('top_movers'),
    window: Type.Enum([...MOVER_TIMEFRAMES], {
      default: '1h',
      description: 'Trailing window, the parameter timeframe of REST',
    }),
    protocol: moversRequest.properties.protocol,
    limit: Type.Integer({ ...moversRequest.properties.limit, maximum: RANKS_MAX }),
  },
  { title: 'TopMoversFilter' },
)
export type MoversFilter = Static<typeof moversFilter>

export const streamedCandle = Type.Object(
  {
    ...candle.properties,
    correction: Type.Optional(
      Type.Literal(true, {
        description:
          'A late swap changed a candle that is older than the newest one sent of this key: update the history ' +
          'of a chart, not its last bar. Without it, timestamps of a key never go back',
      }),
    ),
  },
  { title: 'StreamedCandle' },
)

const { results, total, offset, limit, sector } = trending.properties
export const streamedTrending = Type.Object(
  {
    board: Type.Literal('trending'),
    window: Type.Enum([...TREND_WINDOWS], { description: 'As requested' }),
    sector,
    results,
    total,
    offset,
    limit,
  },
  { title: 'StreamedTrending' },
)

export const streamedMovers = Type.Object(
  { board: Type.Literal('top_movers'), ...movers.properties.data.properties },
  { title: 'StreamedTopMovers' },
)

export const LATEST_SHAPES = [streamedCandle, tokenStats, streamedTrending, streamedMovers]
export const LATEST_FILTERS = [candlesFilter, tokenStatsFilter, trendingFilter, moversFilter].map(
  asGiven,
)

/** The schema of a request, where fields with a default are optional. */
function asGiven(schema: TObject): TSchema {
  const { properties, required = [] } = schema
  const needed = required.filter((name) => !('default' in (properties[name] as object)))
  return { ...schema, required: needed } as TSchema
}
