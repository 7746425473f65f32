/** REST of the traders of a token: by realized PnL, and the first to buy. */
import { type Route, route } from '../../routing/route.ts'
import { EARLY_BUYERS_WORDS } from '../tokens/early-buyers.ts'
import { presentFirstBuyers, presentTraders } from './present.ts'
import { readFirstBuyers, readPastFirstBuyers, readPastTraders, readTraders } from './read.ts'
import * as schema from './schema.ts'

const family = 'enveloped'
const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const
/** A mint with a million traders is read once in this time for all clients. */
const CACHE_SECONDS = 30

const traders = route({
  path: '/v2/pnl/tokens/{token}/traders',
  operationId: 'listTokenTraders',
  isOfHistory: true,
  graphqlField: 'tokenTraders',
  tool: { listedAt: 110 },
  family,
  summary: 'Traders of a token, by realized PnL',
  description:
    'All wallets with a position in it, open or closed, the greatest realized by pnl_mode first. The list goes on ' +
    'after a sum: a wallet that trades meanwhile may appear twice, or not. An unknown token has none.',
  parameters: schema.tradersRequest,
  answer: schema.traders,
  errors: [...errors, 'AS_OF_TOO_COSTLY'],
  example: ({ mint }) => ({ token: mint, limit: 10 }),
  cacheSeconds: CACHE_SECONDS,
  read: async (request, db) => presentTraders(request, await readTraders(db, request)),
  readAsOf: async (request, past) => presentTraders(request, await readPastTraders(past, request)),
})

const firstBuyers = route({
  path: '/v2/pnl/tokens/{token}/first-buyers',
  operationId: 'listFirstBuyers',
  isOfHistory: true,
  graphqlField: 'firstBuyers',
  tool: { listedAt: 120 },
  family,
  summary: 'The first wallets to buy a token, with their positions now',
  description:
    `The ${EARLY_BUYERS_WORDS}, as in ` +
    '`/tokens/{mint}/intel`; each with its first buy and its position now.',
  parameters: schema.firstBuyersRequest,
  answer: schema.firstBuyers,
  errors: [...errors, 'NOT_FOUND', 'AS_OF_UNSUPPORTED', 'AS_OF_TOO_COSTLY'],
  example: ({ mint }) => ({ token: mint, limit: 10, pnl_mode: 'strict' }),
  cacheSeconds: CACHE_SECONDS,
  read: async (request, db) =>
    presentFirstBuyers(request, await readFirstBuyers(db, request.token, request.limit)),
  readAsOf: async (request, past) =>
    presentFirstBuyers(request, await readPastFirstBuyers(past, request.token, request.limit)),
})

export const tokenTraderRoutes: readonly Route[] = [traders, firstBuyers]
