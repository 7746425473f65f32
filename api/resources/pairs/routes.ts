/** REST of pairs, in the three forms of the interface. */

import { ApiError } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import { pastView } from '../past-market/view.ts'
import { LIQUIDITY_MEANING } from './liquidity.ts'
import { presentPairs, presentTokenPairs } from './present.ts'
import { readPairs, readTokenPairs } from './read.ts'
import * as schema from './schema.ts'
import { SHOWN_MAX } from './shown-pools.ts'

const listed = route({
  path: '/api/v1/pairs',
  operationId: 'listPairs',
  isOnPages: true,
  topic: { listedAt: 40, description: 'Pools and their state' },
  tool: { listedAt: 150 },
  family: 'enveloped',
  summary: 'Pools: their accounts, or those of tokens by recent volume',
  description:
    'Without a token, data is a flat array of pair_address, the pool whose first swap is the newest first (by slot; ties: higher address). ' +
    'With token_address or token_addresses (both are one list) data is an array of Pair objects, the ' +
    'largest SOL volume of the trailing 24 hours first (1,440 whole minutes that end with the newest ' +
    'indexed swap; ties: more trades, then lower address), the busiest limit of all pools together. Each ' +
    'later page has the busiest of those that were not shown yet, so that a walk skips and repeats none ' +
    `while they trade; after ${SHOWN_MAX} pools the pages go by the first swaps of the pools, the oldest first. ` +
    `Pools without an indexed swap are not listed; an unknown mint has none. ${LIQUIDITY_MEANING}`,
  parameters: schema.ofPairs,
  answer: schema.pairs,
  errors: ['INVALID_PARAM', 'AS_OF_UNSUPPORTED', 'AS_OF_TOO_COSTLY', 'GATEWAY_TIMEOUT', 'INTERNAL'],
  example: ({ mint }) => ({ token_address: mint, limit: 10 }),
  read: async (parameters, db) => {
    const { token_address: mint, token_addresses: others = [] } = parameters
    const mints = mint === undefined ? others : [...new Set([mint, ...others])]
    return mints.length === 0
      ? presentPairs(await readPairs(db, parameters))
      : presentTokenPairs(await readTokenPairs(db, mints, parameters))
  },
  readAsOf: async (parameters, past) => {
    const { token_address: mint, token_addresses: others = [], protocol } = parameters
    const mints = mint === undefined ? others : [...new Set([mint, ...others])]
    if (mints.length > 0) {
      const view = await pastView(past, { mints })
      return presentTokenPairs(await readTokenPairs(view, mints, parameters))
    }
    if (protocol === undefined) {
      return presentPairs(await readPairs(past.db, { ...parameters, pastSlot: past.slot }))
    }
    // A pool is listed by the venue of its newest swap, and has no index by that of an earlier one.
    throw new ApiError(
      'AS_OF_UNSUPPORTED',
      'GET /api/v1/pairs does not support as_of_slot with protocol and without token_address: send both',
    )
  },
})

export const pairRoutes: readonly Route[] = [listed]
