/** REST of a wallet's trades with what each realized. */
import type { Static } from 'typebox'
import { type Route, route } from '../../routing/route.ts'
import { keyOfCursor, swapList } from '../swaps/swap-key.ts'
import { presentTrades } from './present.ts'
import { readPastTrades, readTrades } from './read.ts'
import { tradeList, tradesRequest } from './schema.ts'

const trades = route({
  path: '/wallets/{w}/trades',
  operationId: 'listWalletTrades',
  graphqlField: 'walletTrades',
  tool: { listedAt: 240 },
  family: 'enveloped',
  summary: 'Trades of a wallet, with the realized PnL and the consumed lots of each sell',
  description:
    'realized_lamports goes by pnl_mode: strict is FIFO, adjusted the running average, raw cash flow. Its sum ' +
    "over all trades is the wallet's realized. matches are the buys that a sell consumed by FIFO, in every " +
    'mode; `/v2/pnl/wallets/{wallet}/positions/{mint}/lots` proves the arithmetic. A page replays the mints ' +
    'that it sells from their first swap on: of a wallet with a very long history request one mint. An unknown ' +
    'wallet has no trades.',
  parameters: tradesRequest,
  answer: tradeList,
  errors: ['INVALID_PARAM', 'AS_OF_TOO_COSTLY', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  example: ({ wallet, mint }) => ({ w: wallet, mint, limit: 10 }),
  respond: async (request, { reader, signal }) => {
    const { list, ...wanted } = wantedBy(request)
    const { walkMs } = reader
    const page = await reader.run(signal, (db) => readTrades(db, { ...wanted, walkMs }))
    return presentTrades(request, list, page)
  },
  readAsOf: async (request, past) => {
    const { list, ...wanted } = wantedBy(request)
    return presentTrades(request, list, await readPastTrades(past, wanted))
  },
})

/** Throws ApiError where the cursor is of another list. */
function wantedBy({ w: user, pnl_mode: _, ...request }: Static<typeof tradesRequest>) {
  const { limit, order, cursor, mint, ...traits } = request
  const filter = { ...traits, user, ...(mint === undefined ? {} : { token_address: mint }) }
  const list = swapList('trades', order, filter)
  const after = cursor === undefined ? undefined : keyOfCursor(list, cursor)
  return { list, filter, page: { limit, order, after } }
}

export const tradeRoutes: readonly Route[] = [trades]
