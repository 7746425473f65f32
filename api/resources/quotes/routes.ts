/** REST of quotes: what a trade would get in a pool, now or at the end of an earlier slot. */
import { quote } from '../../../domain/market/quote.ts'
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import { type Route, route } from '../../routing/route.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { presentQuote } from './present.ts'
import { readQuotedPool } from './read.ts'
import { ofQuote, quoteAnswer } from './schema.ts'

export function quoteRoutes({ gaps }: { gaps: CoverageGaps }): Route[] {
  const quotes = route({
    path: '/v2/quote',
    operationId: 'getQuote',
    graphqlField: 'quote',
    topic: { listedAt: 45, description: 'Outcome of a trade in a pool' },
    tool: { listedAt: 155 },
    family: 'enveloped',
    summary: 'Outcome of a buy or a sell in a pool, now or at the end of an earlier slot',
    description:
      'basis exact: the formula of the venue reproduces the legs of the swap before, ' +
      'to the unit, and prices the trade in the state after it. basis bounded: the formula is not known, and the swaps that followed ' +
      'on the same side bound the outcome from both ends (a pool gives less for each further unit). basis none: neither, with the reason. ' +
      'What the mint withholds from a transfer, network fees and tips are not part of it. Rule: /docs/semantics.md, Pricing a trade.',
    parameters: ofQuote,
    answer: quoteAnswer,
    errors: ['INVALID_PARAM', 'MISSING_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
    example: ({ pair, saleSlot }) => ({
      pair_address: pair,
      is_buy: false,
      amount_in: 1_000_000_000,
      slot: saleSlot,
    }),
    read: async ({ is_buy: isBuy, amount_in: given, ...wanted }, db) => {
      const input = BigInt(given)
      const trade = isBuy ? { isBuy, lamports: input } : { isBuy, tokens: input }
      const read = await readQuotedPool(db, wanted, (await gaps.read(db)) ?? [])
      const assumedBps = wanted[ASSUMED_FEES]
      const found = quote(read.pool, trade, { assumedFeeBps: BigInt(assumedBps) })
      return presentQuote({ pair: wanted.pair_address, trade, assumedBps, read, found })
    },
  })
  return [quotes]
}
