/** Parameters and answers of prices: of now, at a time, and candle by candle. Prices are SOL per whole token. */
import Type, { type Static } from 'typebox'
import { TIME_MAX_MS } from '../../../domain/time/time.ts'
import { RESOLUTIONS } from '../../../domain/time/timeframe.ts'
import {
  accountAddress,
  count,
  dex,
  int64,
  limit,
  mints,
  nullable,
  signature,
  TOKEN_TEXTS,
  toMs,
  usd,
} from '../../routing/schema.ts'

export const PRICED_MINTS_MAX = 200

const token = accountAddress({ description: 'Token mint' })
const pair = nullable(Type.String({ description: 'Pool account; null without a price' }))
const resolution = Type.Enum([...RESOLUTIONS], { default: '1m', description: 'Width of a row' })
const price = (description: string) => Type.Number({ description })

export const ofHistory = Type.Object({
  token,
  resolution,
  limit: limit(1000, 200),
  to: Type.Optional(toMs),
})

export const history = Type.Object(
  {
    token: Type.String({ description: 'As requested' }),
    pair_address: pair,
    resolution: Type.Enum([...RESOLUTIONS], { description: 'As requested' }),
    rows: Type.Array(
      Type.Object(
        {
          ts_ms: int64({ description: 'First Unix millisecond of the row' }),
          open: price('First trade'),
          high: price('Highest trade'),
          low: price('Lowest trade'),
          close: price('Last trade'),
          volume_sol: price('SOL of all trades'),
        },
        { title: 'PriceRow' },
      ),
      { description: 'Ascending; those without a price are left out' },
    ),
  },
  { title: 'PriceHistory' },
)
export type HistoryAnswer = Static<typeof history>

export const ofTimestamp = Type.Object({
  token,
  timestamp: Type.Integer({
    format: 'last-ms',
    minimum: 0,
    maximum: TIME_MAX_MS,
    description: 'Unix ms (not seconds), ISO 8601 with a zone, or a date: its last millisecond',
  }),
})

export const priceAt = Type.Object(
  {
    token: Type.String({ description: 'As requested' }),
    timestamp: int64({ description: 'As requested' }),
    price_sol: price('Executed price of the swap'),
    ts_ms: int64({ description: 'Unix ms of the swap' }),
    age_ms: count({ description: 'Milliseconds from the swap to timestamp' }),
    signature: signature({ description: 'Transaction signature of the swap' }),
    slot: int64({ description: 'Slot of the swap' }),
    pair_address: Type.String({ description: 'Pool of the swap' }),
  },
  { title: 'PriceAt' },
)
export type PriceAtAnswer = Static<typeof priceAt>

export const ofMulti = Type.Object({ tokens: mints(PRICED_MINTS_MAX, 'Token mints') })

export const multi = Type.Object(
  {
    prices: Type.Record(
      Type.String(),
      Type.Object(
        {
          price_sol: price('Last executed price of the top pool'),
          price_usd: usd({ description: 'The same in US dollars' }),
          ts_ms: int64({ description: TOKEN_TEXTS.priceTime }),
        },
        { title: 'PriceNow' },
      ),
      { description: 'By mint; one without a price is absent' },
    ),
  },
  { title: 'Prices' },
)
export type MultiAnswer = Static<typeof multi>

export const ofPeak = Type.Object({ mint: token })

export const ath = Type.Object(
  {
    mint: accountAddress({ description: 'Token mint' }),
    ath_price_sol: price('Highest executed price of the top pool'),
    ath_price_usd: usd({ description: 'The same by the rate of now' }),
    timestamp: int64({ description: 'Unix ms of the swap that made it' }),
    signature: signature({ description: 'Transaction signature of the swap' }),
    slot: int64({ description: 'Slot of the swap' }),
    pair_address: accountAddress({ description: 'The top pool' }),
    dex,
    user: accountAddress({ description: 'Trader wallet of the swap' }),
    sol_amount: int64({ description: 'SOL leg of the swap, lamports' }),
    token_amount: int64({ description: 'Token leg of the swap, base units' }),
    price_sol: price('Last executed price of the top pool'),
    price_usd: usd({ description: 'The same in US dollars' }),
    price_timestamp: int64({ description: TOKEN_TEXTS.priceTime }),
    from_ath_pct: price(
      'price_sol against ath_price_sol, percent: 0 at the highest, else negative',
    ),
  },
  { title: 'TokenAth' },
)
export type AthAnswer = Static<typeof ath>
