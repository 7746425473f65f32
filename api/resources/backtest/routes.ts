/** REST of back-tests: what copying wallets would have earned. */
import { READ_ERRORS } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { answerCopy } from './copy.ts'
import { copyAnswer, copyBody, noParameters } from './schema.ts'

/** Orders that are answered in a request. */
const ORDERS_MAX = 2_000
const TRADES_MAX = 10_000

export function backtestRoutes({ gaps }: { gaps: CoverageGaps }): Route[] {
  const copy = route({
    path: '/v2/backtest/copy',
    operationId: 'copyBacktest',
    graphqlField: 'copyBacktest',
    topic: { listedAt: 46, description: 'Back-tests over stored swaps' },
    tool: { listedAt: 157 },
    method: 'post',
    family: 'enveloped',
    summary: 'Profit and loss that copying wallets would have had',
    description:
      'Each order of the wallets (their swaps of one transaction, mint and side) is copied some slots later, in the state of the pool that ' +
      'stored swaps show there: exact, within bounds, or not, with the reason, as /v2/quote. Nothing after the last slot is read. ' +
      `Up to ${ORDERS_MAX} orders; each run has one delay and one size. Rule: /docs/semantics.md, Copying wallets.`,
    parameters: noParameters,
    body: copyBody,
    answer: copyAnswer,
    rows: 'trades',
    errors: READ_ERRORS,
    example: ({ wallet, slot, saleSlot }) => ({
      wallets: [wallet],
      from_slot: Math.min(slot, saleSlot),
      delay_slots: [2],
      size_lamports: [100_000_000],
    }),
    respond: (request, { near, signal }) =>
      answerCopy(request, { near, gaps, ordersMax: ORDERS_MAX, tradesMax: TRADES_MAX, signal }),
  })
  return [copy]
}
