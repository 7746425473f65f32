/** REST of a wallet's trades with what each realized. */
import { type Route, route } from '../../routing/route.ts'
import { keyOfCursor, swapList } from '../swaps/swap-key.ts'
import { presentTrades } from './present.ts'
import { readTrades } from './read.ts'
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
  errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  example: ({ wallet, mint }) => ({ w: wallet, mint, limit: 10 }),
  respond: async (request, { reader, signal }) => {
    const { w: user, pnl_mode, limit, order, cursor, mint, ...traits } = request
    const filter = { ...traits, user, ...(mint === undefined ? {} : { token_address: mint }) }
    const list = swapList('trades', order, filter)
    const after = cursor === undefined ? undefined : keyOfCursor(list, cursor)
    const wanted = { filter, page: { limit, order, after }, walkMs: reader.walkMs }
    const page = await reader.run(signal, (db) => readTrades(db, wanted))
    return presentTrades({ w: user, pnl_mode }, list, page)
  },
})

export const tradeRoutes: readonly Route[] = [trades]
