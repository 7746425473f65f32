/** REST of the search. */

import { warningsOf } from '../../routing/parameters.ts'
import { type Route, route } from '../../routing/route.ts'
import { search } from './read.ts'
import * as schema from './schema.ts'

const found = route({
  path: '/search',
  operationId: 'search',
  isOnPages: true,
  topic: { listedAt: 110, description: 'Tokens, pools, wallets and transactions by text' },
  tool: { listedAt: 10 },
  family: 'filters',
  summary: 'Tokens, pools, wallets and transactions by prefix',
  description:
    'Symbols and names are compared by NFKC and full case folding, without control, zero-width and direction ' +
    'characters; addresses as they are, without quotes and space around them; a signature has to be ' +
    'whole. Of a URL or another text with whole addresses or signatures in it, the first four are searched for, and come ' +
    'in its order. A "$" before a symbol makes no difference. The best fit comes first: whole addresses, whole symbols, whole names, then beginnings; within ' +
    'these, the most traded. A refused parameter is reported as a text in `error`; unknown ones are ' +
    'warned of.',
  parameters: schema.ofSearch,
  answer: schema.results,
  errors: ['INVALID_PARAM', 'MISSING_PARAM', 'GATEWAY_TIMEOUT', 'INTERNAL'],
  example: ({ searchText }) => ({ q: searchText, limit: 10 }),
  read: async ({ q, limit, unsupported }, db) => ({
    results: await search(db, q, limit),
    warnings: warningsOf(unsupported, schema.ofSearch),
  }),
})

export const searchRoutes: readonly Route[] = [found]
