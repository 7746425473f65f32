/**
 * REST of swaps: by signature, and five lists. Literal paths are declared before `{signature}`.
 */

import type { Static } from 'typebox'
import { HOUR_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import type { Order } from '../../../history/swaps/served-swap.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import type { NearReading } from '../../routing/declaration.ts'
import { ApiError } from '../../routing/error.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { withFeedCursor } from '../../routing/reading/feed-list.ts'
import { type Route, route } from '../../routing/route.ts'
import { presentPage, presentTransaction } from './present.ts'
import { readSwaps, readTransaction, type SwapFilter, type SwapRead } from './read.ts'
import * as schema from './schema.ts'
import { keyOfCursor, swapList } from './swap-key.ts'
import { unknownTransaction } from './unknown-transaction.ts'

const family = 'swaps'
const answer = schema.swapList
const errors = ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'DATABASE', 'INTERNAL'] as const
const timed = [...errors, 'MISSING_PARAM'] as const

const listed = route({
  path: '/swaps',
  operationId: 'listSwaps',
  isOnPages: true,
  topic: { listedAt: 10, description: 'Swaps by transaction, wallet, token, pool, time and slot' },
  family,
  summary: 'Swaps, newest first',
  parameters: schema.listed,
  answer,
  errors,
  example: ({ pair }) => ({ pair_address: pair, limit: 10 }),
  ...listOf('all', (given: Static<typeof schema.listed>) => given),
})

const ranged = route({
  path: '/swaps/range',
  operationId: 'listSwapsInRange',
  isOnPages: true,
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
  ...listOf('range', (given: Static<typeof schema.ranged>) => {
    requireRange(given)
    return given
  }),
})

const whales = route({
  path: '/swaps/whale',
  operationId: 'listWhaleSwaps',
  isOnPages: true,
  graphqlField: 'whaleSwaps',
  tool: { listedAt: 170 },
  family,
  summary: 'Swaps of many SOL',
  parameters: schema.whales,
  answer,
  errors,
  example: ({ whaleSol }) => ({ min_sol: whaleSol }),
  ...listOf('whale', (given: Static<typeof schema.whales>) => given),
})

const byTrader = route({
  path: '/swaps/trader/{wallet}',
  operationId: 'listTraderSwaps',
  isOnPages: true,
  graphqlField: 'traderSwaps',
  tool: { listedAt: 190 },
  family,
  summary: 'Swaps of a wallet',
  parameters: schema.byTrader,
  answer,
  errors,
  example: ({ wallet }) => ({ wallet, is_buy: true }),
  ...listOf('trader', ({ wallet, ...given }: Static<typeof schema.byTrader>) => ({
    ...given,
    user: wallet,
  })),
})

const byToken = route({
  path: '/swaps/token/{mint}',
  operationId: 'listTokenSwaps',
  isOnPages: true,
  graphqlField: 'tokenSwaps',
  tool: { listedAt: 180 },
  family,
  summary: 'Swaps of a token, over all its pools',
  parameters: schema.byToken,
  answer,
  errors,
  example: ({ mint }) => ({ mint, order: 'asc' }),
  ...listOf('token', ({ mint, ...given }: Static<typeof schema.byToken>) => ({
    ...given,
    token_address: mint,
  })),
})

const bySignature = route({
  path: '/swaps/{signature}',
  operationId: 'getTransaction',
  isOnPages: true,
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
  read: ({ signature }, db) => foundTransaction(db, signature),
  readAsOf: async ({ signature }, past) => {
    const [found] = await Promise.all([
      foundTransaction(past.db, signature, past.slot),
      past.expectImpacts(),
    ])
    return found
  },
})

export const swapRoutes: readonly Route[] = [listed, ranged, whales, byTrader, byToken, bySignature]

/** Throws NOT_FOUND where no swap of it is indexed up to the slot. */
async function foundTransaction(
  db: Queryable,
  signature: string,
  pastSlot = Number.MAX_SAFE_INTEGER,
) {
  const rows = (await readTransaction(db, signature)).filter(({ slot }) => slot <= pastSlot)
  if (rows.length > 0) return presentTransaction(signature, rows)
  throw await unknownTransaction(db, signature)
}

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

type ListRequest = SwapFilter & { limit: number; order: Order; cursor?: string }

/** How a list of this name is read, now and as of a slot: of the swaps that the parameters choose. */
function listOf<Given>(name: string, chosenBy: (given: Given) => ListRequest) {
  const pageOf = (given: Given) => {
    const { limit, order, cursor, ...filter } = chosenBy(given)
    const list = swapList(name, order, filter)
    const after = cursor === undefined ? undefined : keyOfCursor(list, cursor)
    return async (db: Queryable, how: SwapRead) =>
      presentPage(list, await readSwaps(db, filter, { limit, order, after }, how))
  }
  return {
    respond: async (given: Given, reading: NearReading) => {
      const { walkMs } = reading.reader
      const read = pageOf(given)
      return withFeedCursor(reading, (db) => read(db, { walkMs }))
    },
    /** The feed continues `as_of`, not the list. */
    readAsOf: async (given: Given, past: AsOfReading) => {
      const { db, slot: pastSlot, walkMs } = past
      const [page] = await Promise.all([
        pageOf(given)(db, { walkMs, pastSlot }),
        past.expectImpacts(),
      ])
      return { ...page, feed_cursor: null }
    },
  }
}
