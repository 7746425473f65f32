/** REST of candles: a pool's, or those of a token's top pool, and a range of time as one candle. */

import { parseExact } from '../../../domain/text/exact-json.ts'
import { grouped } from '../../../domain/text/plural.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { DUST_BASE_UNITS } from '../../../domain/venue.ts'
import { READ_ERRORS } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import { pastView, viewedBy } from '../past-market/view.ts'
import { writeCandles } from './candle-text.ts'
import { presentLatest, presentRange } from './present.ts'
import { RANGE_CANDLES_MAX, readCandles, readLatest, readRange } from './read.ts'
import * as schema from './schema.ts'

const DUST = grouped(DUST_BASE_UNITS)

const family = 'enveloped'
const errors = [...READ_ERRORS, 'AS_OF_TOO_COSTLY'] as const

const listed = route({
  path: '/api/v1/candles',
  operationId: 'listCandles',
  isOnPages: true,
  topic: { listedAt: 20, description: 'Candles of pools' },
  tool: { listedAt: 130 },
  family,
  summary: 'Candles of a pool, ascending; the newest where there are more than limit',
  description:
    'One of pair_address and token_address is required. By token, the pool with the largest volume ' +
    'between from and to where both are given, else its top pool: the largest volume of 24 hours. ' +
    'Buckets count whole from the one that holds from; open and close go by the order of the chain, ' +
    'a late trade corrects its candle. Dust (' +
    `less than ${DUST} lamports, or less than a whole token and ${DUST} base ` +
    "units) and trades of the launch venue's agent count in volume_sol and trade_count and set no price; a bucket with only those is " +
    'left out, as is an empty one. With fill, both carry the last close, up to the bucket that holds ' +
    'to, else to that of the newest indexed swap, never later than now; those before the first price are left out. A to in ' +
    'the future adds nothing without fill; with it the close is carried on to there, and as limit selects ' +
    'the newest, all that is left may be such buckets. An unknown pool or token has none. pool names the pool of the candles, ' +
    'and since when it is the top pool: by token, a chart is of another pool when its pair_address changes.',
  parameters: schema.ofCandles,
  answer: schema.candles,
  errors,
  example: ({ pair }) => ({ pair_address: pair, timeframe: '5m', limit: 100 }),
  write: async (parameters, db) =>
    writeCandles(await readCandles(db, parameters), parameters.timeframe),
  readAsOf: async (parameters, past) => {
    const view = await pastView(past, viewedBy(parameters, { hasTraders: true }))
    const candles = await readCandles(view, { ...parameters, pastSlot: past.slot })
    return parseExact(writeCandles(candles, parameters.timeframe).join('')) as never
  },
})

const latest = route({
  path: '/api/v1/candles/latest',
  operationId: 'getLatestCandle',
  graphqlField: 'latestCandle',
  family,
  summary: 'The running candle of a pool: its newest with a price',
  description:
    'data is null where the pool or token is unknown or never had a price. pool is that of /api/v1/candles.',
  parameters: schema.ofLatest,
  answer: schema.latestCandle,
  errors,
  example: ({ mint }) => ({ token_address: mint, timeframe: '1h' }),
  read: async (parameters, db) =>
    presentLatest(await readLatest(db, parameters), parameters.timeframe),
  readAsOf: async (parameters, past) => {
    const view = await pastView(past, viewedBy(parameters, { hasTraders: true }))
    const latest = await readLatest(view, { ...parameters, pastSlot: past.slot })
    return presentLatest(latest, parameters.timeframe)
  },
})

const range = route({
  path: '/price/history/range',
  operationId: 'getPriceRange',
  graphqlField: 'priceRange',
  family,
  summary: 'A range of time of a token as one candle',
  description:
    'The pool is the one with the largest volume in the range, else the top pool. Buckets count whole ' +
    'from the one that holds from; those without a price count in neither volume_sol nor sample_count. ' +
    `ceil((to - from + 1) / resolution) over ${grouped(RANGE_CANDLES_MAX)} is refused. Where nothing is, prices are null.`,
  parameters: schema.ofPriceRange,
  answer: schema.priceRange,
  errors,
  example: ({ mint, buyMs }) => ({
    token: mint,
    from: buyMs - DAY_MS,
    to: buyMs + MINUTE_MS,
    resolution: '1h',
  }),
  read: async ({ token, ...range }, db) =>
    presentRange(range.from, range.to, await readRange(db, { token_address: token, ...range })),
  readAsOf: async ({ token, ...range }, past) => {
    const view = await pastView(past, { mints: [token] })
    return presentRange(
      range.from,
      range.to,
      await readRange(view, { token_address: token, ...range }),
    )
  },
})

export const candleRoutes: readonly Route[] = [listed, latest, range]
