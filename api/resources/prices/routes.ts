/** REST of prices: rows of a token's top pool, the price at a time, and the prices of several tokens now. */

import type { Static } from 'typebox'
import { findPeak } from '../../../history/swaps/tokens.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { ApiError, READ_ERRORS } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import { readCandles } from '../candles/read.ts'
import { pastView } from '../past-market/view.ts'
import { presentHistory, presentPeak, presentPriceAt, presentPrices } from './present.ts'
import { readPastPrices, readPriceAt, readPrices } from './read.ts'
import * as schema from './schema.ts'

const family = 'enveloped'
const errors = [...READ_ERRORS, 'AS_OF_TOO_COSTLY'] as const

async function historyOf(request: Static<typeof schema.ofHistory>, db: Queryable) {
  const { token, resolution: timeframe, limit, to } = request
  const filter = { token_address: token, timeframe, limit, fill: false }
  const bounded = to === undefined ? filter : { ...filter, to }
  return presentHistory(request, await readCandles(db, bounded))
}

async function priceAt(db: Queryable, token: string, timestamp: number) {
  const swap = await readPriceAt(db, token, timestamp)
  if (swap !== undefined) return presentPriceAt(token, timestamp, swap)
  throw new ApiError('NOT_FOUND', `token "${token}" has no price at or before ${timestamp}`)
}

async function peakOf(db: Queryable, mint: string) {
  const swap = await findPeak(db, mint)
  if (swap !== undefined) return presentPeak(mint, swap)
  throw new ApiError('NOT_FOUND', `token "${mint}" has no price`)
}

const history = route({
  path: '/price/history',
  operationId: 'getPriceHistory',
  topic: { listedAt: 30, description: 'Prices of tokens now, at a time and over a range' },
  family,
  summary: "Prices of a token's top pool, row by row",
  description:
    'The newest limit rows that begin at or before to, ascending; rows are candles of the top pool of now. Without a ' +
    'price there are none.',
  parameters: schema.ofHistory,
  answer: schema.history,
  errors,
  example: ({ mint }) => ({ token: mint, resolution: '5m', limit: 100 }),
  read: historyOf,
  readAsOf: async (request, past) =>
    historyOf(request, await pastView(past, { mints: [request.token] })),
})

const at = route({
  path: '/price/history/timestamp',
  operationId: 'getPriceAt',
  graphqlField: 'priceAt',
  tool: { listedAt: 140 },
  family,
  summary: 'The price of a token at or before a time, with the swap that made it',
  description:
    'The pool is the one with the largest volume in the day before the time; where none traded in it, the one with ' +
    "the newest price. Dust and trades of the launch venue's agent set no price. 404: no price at or before the time.",
  parameters: schema.ofTimestamp,
  answer: schema.priceAt,
  errors: [...errors, 'NOT_FOUND'],
  example: ({ mint, buyMs }) => ({ token: mint, timestamp: buyMs }),
  read: ({ token, timestamp }, db) => priceAt(db, token, timestamp),
  readAsOf: async ({ token, timestamp }, past) =>
    priceAt(await pastView(past, { mints: [token] }), token, timestamp),
})

const multi = route({
  path: '/price/multi',
  operationId: 'getPrices',
  graphqlField: 'prices',
  family,
  summary: `Prices of up to ${schema.PRICED_MINTS_MAX} tokens now, by mint`,
  parameters: schema.ofMulti,
  answer: schema.multi,
  errors,
  example: ({ mint }) => ({ tokens: mint }),
  read: async ({ tokens }, db) => presentPrices(await readPrices(db, tokens)),
  readAsOf: async ({ tokens }, past) => presentPrices(await readPastPrices(past, tokens)),
})

const ath = route({
  path: '/tokens/{mint}/ath',
  operationId: 'getTokenAth',
  graphqlField: 'tokenAth',
  tool: { listedAt: 100 },
  family,
  summary: 'The highest price of a token, with the swap that made it',
  description:
    'The highest executed price of the top pool of now, which charts and prices go by; of equal ones the earliest. ' +
    "Dust and trades of the launch venue's agent set no price. 404: the token has no price.",
  parameters: schema.ofPeak,
  answer: schema.ath,
  errors: [...errors, 'NOT_FOUND'],
  example: ({ mint }) => ({ mint }),
  read: ({ mint }, db) => peakOf(db, mint),
  readAsOf: async ({ mint }, past) => peakOf(await pastView(past, { mints: [mint] }), mint),
})

export const priceRoutes: readonly Route[] = [history, at, multi, ath]
