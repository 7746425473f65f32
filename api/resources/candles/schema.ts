/** Parameters and answers of candles and of the price range. Prices are SOL per whole token. */
import Type from 'typebox'
import { RESOLUTIONS, TIMEFRAMES } from '../../../domain/time/timeframe.ts'
import {
  accountAddress,
  count,
  fromMs,
  int64,
  limit,
  nullable,
  toMs,
  unbounded,
} from '../../routing/schema.ts'

const LIMIT_MAX = 5_000
const LIMIT_DEFAULT = 500

const pairAddress = accountAddress({ description: 'Pool account' })
const tokenAddress = accountAddress({ description: 'Token mint: its top pool' })
const timeframe = Type.Enum([...TIMEFRAMES], { default: '1m', description: 'Width of a candle' })

const price = (description: string) =>
  Type.Number({ description: `${description}, executed SOL per whole token` })
const priceOrNull = (description: string) => nullable(price(description))
const volume = Type.Number({ description: 'SOL of all trades' })
const uncounted = (description: string) => ({
  description: `${description}. null: stored by a version that did not count it, "swaptide rebuild candles" does`,
})
const countedSince = (description: string) => nullable(count(uncounted(description)))

export const ofCandles = Type.Object({
  pair_address: Type.Optional(pairAddress),
  token_address: Type.Optional(tokenAddress),
  timeframe,
  from: Type.Optional(fromMs),
  to: Type.Optional(toMs),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  fill: Type.Boolean({
    default: false,
    description: 'Carry the last close over buckets without a price',
  }),
})

export const ofLatest = Type.Object({
  pair_address: Type.Optional(pairAddress),
  token_address: Type.Optional(tokenAddress),
  timeframe,
})

export const candle = Type.Object(
  {
    timestamp: int64({ description: 'First Unix millisecond of the bucket' }),
    pair_address: Type.String({ description: 'Pool account' }),
    token_address: Type.String({ description: 'Its mint' }),
    timeframe: Type.Enum([...TIMEFRAMES], { description: 'As requested' }),
    open: price('First trade'),
    high: price('Highest trade'),
    low: price('Lowest trade'),
    close: price('Last trade'),
    volume_sol: volume,
    volume_token: nullable(
      unbounded(uncounted('Token base units of all trades, exactly; a sum, it may pass int64')),
    ),
    volume_lamports: unbounded({
      description: 'Lamports of all trades, exactly; a sum, it may pass int64',
    }),
    trade_count: count({ description: 'Trades, dust included' }),
    buy_count: countedSince('Trades from SOL to the token, dust included'),
    sell_count: countedSince('Trades from the token to SOL, dust included'),
    unique_traders: countedSince('Wallets that traded in the bucket, dust included'),
  },
  { $id: 'Candle' },
)

const candlePool = Type.Object(
  {
    pair_address: Type.String({ description: 'Pool account' }),
    token_address: Type.String({ description: 'Its mint' }),
    chosen_by: Type.Enum(['pair_address', 'range_volume', 'top_pool'], {
      description:
        'pair_address: the request named it; range_volume: by token with from and to, it has the largest volume ' +
        "between them; top_pool: by token, it is the token's top pool now",
    }),
    since: nullable(
      int64({
        description:
          'With top_pool: first Unix millisecond of the quarter of an hour from which on it has been the top pool ' +
          'without interruption; null for seven days or longer, and with the other two. When pair_address differs ' +
          'from that of the answer before, the chart is of another pool: restart it',
      }),
    ),
  },
  { $id: 'CandlePool' },
)
/** Null: no such pool, or none of the token has had a price. */
const pool = nullable(candlePool)

export const candles = Type.Object({ success: Type.Literal(true), data: Type.Array(candle), pool })
export const latestCandle = Type.Object({
  success: Type.Literal(true),
  data: nullable(candle),
  pool,
})

export const ofPriceRange = Type.Object({
  token: accountAddress({ description: 'Token mint: its top pool', also: 'token_address' }),
  from: fromMs,
  to: toMs,
  resolution: Type.Enum([...RESOLUTIONS], {
    default: '1m',
    description: 'Width of the candles that are aggregated',
  }),
})

export const priceRange = Type.Object(
  {
    from_ts: int64({ description: 'from, as given' }),
    to_ts: int64({ description: 'to, as given' }),
    open: priceOrNull('Open of the first candle'),
    high: priceOrNull('Greatest high'),
    low: priceOrNull('Least low'),
    close: priceOrNull('Close of the last candle'),
    volume_sol: Type.Number({ description: 'SOL of all trades of the candles' }),
    sample_count: count({ description: 'Candles with a price' }),
    pair_address: nullable(
      Type.String({
        description: 'Pool of the candles; null where the token has none with a price',
      }),
    ),
  },
  { title: 'PriceRange' },
)
