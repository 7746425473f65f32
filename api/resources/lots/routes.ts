/** REST routes of the lots and matches that prove a position's figures. */

import { grouped } from '../../../domain/text/plural.ts'
import { type Route, route } from '../../routing/route.ts'
import { presentLots } from './present.ts'
import { MATCHES_MAX, readLots, readPastLots } from './read.ts'
import { ofLots, positionLots } from './schema.ts'

const lots = route({
  path: '/v2/pnl/wallets/{wallet}/positions/{mint}/lots',
  operationId: 'getPositionLots',
  isOnPages: true,
  isOfHistory: true,
  graphqlField: 'positionLots',
  tool: { listedAt: 230 },
  family: 'enveloped',
  summary: "The proof of a position: each sell's buys, and the lots that are open",
  description:
    'Every figure of the position can be computed again from this, to the lamport. All numbers are ' +
    'whole: lamports and base units; floor drops the fraction. ' +
    'A buy brings a lot of token_amount - transfer_fee_out that cost sol_amount (no lot when nothing ' +
    'arrived). A sell takes quantity = token_amount + transfer_fee_in out of the wallet; ' +
    'covered_quantity = min(quantity, balance_before) of it has a cost, and covered_proceeds = ' +
    'proceeds when all is covered, else floor(proceeds * covered_quantity / quantity). ' +
    'strict (FIFO): lots are consumed oldest first; each match takes floor(lot_cost_before * quantity / ' +
    'lot_quantity_before), all of it when the lot is used up, and the rest stays with the lot; ' +
    'realized_strict = covered_proceeds - sum of the cost of all matches. ' +
    'adjusted (running average): average_cost = basis_before when all of the balance is sold, else ' +
    'floor(basis_before * covered_quantity / balance_before); realized_adjusted = covered_proceeds - ' +
    'average_cost, and the rest stays in the basis. raw = sells - buys. ' +
    'Rows are sells in canonical order, then open lots, oldest first; limit counts both. A sell with ' +
    `more matches than an answer holds (${grouped(MATCHES_MAX)}) goes on in the next: the row is repeated there with ` +
    'matches_from > 0. A walk by next_cursor proves the position as of the swap that was newest when ' +
    'it began; totals, on every page, are those of all swaps up to it, and only swaps that arrive ' +
    'late can change them: then walk again. Without a position all is empty.',
  parameters: ofLots,
  answer: positionLots,
  errors: ['INVALID_PARAM', 'AS_OF_TOO_COSTLY', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  example: ({ wallet, mint }) => ({ wallet, mint, limit: 100 }),
  read: async ({ cursor, ...wanted }, db) => {
    const from = cursor === undefined ? {} : { cursor }
    return presentLots(wanted, await readLots(db, { ...wanted, ...from }))
  },
  readAsOf: async ({ cursor, ...wanted }, past) => {
    const from = cursor === undefined ? {} : { cursor }
    return presentLots(wanted, await readPastLots(past, { ...wanted, ...from }))
  },
})

export const lotRoutes: readonly Route[] = [lots]
