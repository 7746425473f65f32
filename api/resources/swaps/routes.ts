/**
 * REST of swaps: by signature, and five lists. Literal paths are declared before `{signature}`.
 */

import { HOUR_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import type { Order } from '../../../history/swaps/served-swap.ts'
import type { NearReading } from '../../routing/declaration.ts'
import { ApiError } from '../../routing/error.ts'
import { shown } from '../../routing/parameters.ts'
import { withFeedCursor } from '../../routing/reading/feed-list.ts'
import { type Route, route } from '../../routing/route.ts'
import { presentPage, presentTransaction } from './present.ts'
import { readSwaps, readTransaction, type SwapFilter } from './read.ts'
import * as schema from './schema.ts'
import { keyOfCursor, swapList } from './swap-key.ts'

const family = 'swaps'
const answer = schema.swapList
const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'DATABASE', 'INTERNAL'] as const
const timed = [...errors, 'MISSING_PARAM'] as const

const listed = route({
  path: '/swaps',
  operationId: 'listSwaps',
  topic: { listedAt: 10, description: 'Swaps by transaction, wallet, token, pool, time and slot' },
  family,
  summary: 'Swaps, newest first',
  parameters: schema.listed,
  answer,
  errors,
  example: ({ pair }) => ({ pair_address: pair, limit: 10 }),
  respond: async ({ limit, cursor, order, ...filter }, reading) =>
    readList(reading, 'all', filter, { limit, order, cursor }),
})

const ranged = route({
  path: '/swaps/range',
  operationId: 'listSwapsInRange',
  graphqlField: 'swapsInRange',
  tool: { listedAt: 160 },
  family,
  summary: 'Swaps of a window of time or of slots',
  description:
    'One of the pairs from and to, start_slot and end_slot is required; with both, swaps are in both ranges.',
  parameters: schema.ranged,
  answer,
  errors: timed,
  example: ({ buyMs, dex }) => ({ from: buyMs - HOUR_MS, to: buyMs + MINUTE_MS, dex }),
  respond: async ({ limit, cursor, order, ...filter }, reading) => {
    requireRange(filter)
    return readList(reading, 'range', filter, { limit, order, cursor })
  },
})

const whales = route({
  path: '/swaps/whale',
  operationId: 'listWhaleSwaps',
  graphqlField: 'whaleSwaps',
  tool: { listedAt: 170 },
  family,
  summary: 'Swaps of many SOL',
  parameters: schema.whales,
  answer,
  errors,
  example: ({ whaleSol }) => ({ min_sol: whaleSol }),
  respond: async ({ limit, cursor, order, ...filter }, reading) =>
    readList(reading, 'whale', filter, { limit, order, cursor }),
})

const byTrader = route({
  path: '/swaps/trader/{wallet}',
  operationId: 'listTraderSwaps',
  graphqlField: 'traderSwaps',
  tool: { listedAt: 190 },
  family,
  summary: 'Swaps of a wallet',
  parameters: schema.byTrader,
  answer,
  errors,
  example: ({ wallet }) => ({ wallet, is_buy: true }),
  respond: async ({ wallet, limit, cursor, order, ...filter }, reading) =>
    readList(reading, 'trader', { ...filter, user: wallet }, { limit, order, cursor }),
})

const byToken = route({
  path: '/swaps/token/{mint}',
  operationId: 'listTokenSwaps',
  graphqlField: 'tokenSwaps',
  tool: { listedAt: 180 },
  family,
  summary: 'Swaps of a token, over all its pools',
  parameters: schema.byToken,
  answer,
  errors,
  example: ({ mint }) => ({ mint, order: 'asc' }),
  respond: async ({ mint, limit, cursor, order, ...filter }, reading) =>
    readList(reading, 'token', { ...filter, token_address: mint }, { limit, order, cursor }),
})

const bySignature = route({
  path: '/swaps/{signature}',
  operationId: 'getTransaction',
  graphqlField: 'transaction',
  tool: { listedAt: 200 },
  family,
  summary: 'All swaps of one transaction',
  description:
    'Never paged. The order is fixed: slot, block_tx_index, ix_index, dex, then buys before ' +
    'sells, signature, pair_address, user, sol_amount, token_amount. 404 means looked up and ' +
    'absent; a look-up that ran out of time is 503.',
  parameters: schema.bySignature,
  answer: schema.signatureSwaps,
  errors: [...errors, 'NOT_FOUND'],
  example: ({ signature }) => ({ signature }),
  read: async ({ signature }, db) => {
    const rows = await readTransaction(db, signature)
    if (rows.length > 0) return presentTransaction(signature, rows)
    throw new ApiError('NOT_FOUND', `signature "${shown(signature)}" has no indexed swap`)
  },
})

export const swapRoutes: readonly Route[] = [listed, ranged, whales, byTrader, byToken, bySignature]

/** Throws MISSING_PARAM unless one of the two ranges has both ends. */
function requireRange({ from, to, start_slot: first, end_slot: last }: SwapFilter): void {
  if (from !== undefined && to !== undefined) return
  if (first !== undefined && last !== undefined) return
  const [name, other] =
    from !== undefined ? ['to', 'from'] : to !== undefined ? ['from', 'to'] : ['from', 'to']
  throw new ApiError(
    'MISSING_PARAM',
    `${name} is required with ${other}, or start_slot and end_slot instead of both`,
  )
}

type PageRequest = { limit: number; order: Order; cursor: string | undefined }

function readList(reading: NearReading, name: string, filter: SwapFilter, page: PageRequest) {
  const { limit, order, cursor } = page
  const list = swapList(name, order, filter)
  const after = cursor === undefined ? undefined : keyOfCursor(list, cursor)
  const { walkMs } = reading.reader
  return withFeedCursor(reading, async (db) =>
    presentPage(list, await readSwaps(db, filter, { limit, order, after }, walkMs)),
  )
}
