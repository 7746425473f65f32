/** REST of a wallet's holdings, read from the balance provider where there is one. */

import type { BalanceProvider } from '../../../chain/accounts/providers.ts'
import type { TokenBalance } from '../../../chain/accounts/token-account.ts'
import { NodeUnavailable } from '../../../chain/rpc/json-rpc.ts'
import { type Route, route } from '../../routing/route.ts'
import { readPastHoldings } from './past.ts'
import { presentHoldings } from './present.ts'
import { readHoldings } from './read.ts'
import { ofHoldings, walletHoldings } from './schema.ts'

const CACHE_SECONDS = 30

export function holdingsRoutes(
  balances: BalanceProvider | undefined,
  now: () => number,
): readonly Route[] {
  const holdings = route({
    path: '/wallets/{w}/holdings',
    operationId: 'getWalletHoldings',
    isOfHistory: true,
    graphqlField: 'walletHoldings',
    family: 'enveloped',
    summary: 'Tokens that a wallet holds, with their cost and value',
    description:
      'On-chain balances where the balance provider answers, else those that the indexed swaps leave: ' +
      'a failure of the provider is never an error of the response. Native SOL is no token. dex limits the cost basis to the swaps ' +
      'of that venue, and nothing else. A wallet that holds less than its lots has that share of ' +
      'their cost; tokens beyond its lots have no cost. An unknown wallet is read on chain ' +
      'all the same. As of a slot the swaps alone are read.',
    parameters: ofHoldings,
    answer: walletHoldings,
    errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL', 'AS_OF_TOO_COSTLY'],
    example: ({ wallet }) => ({ w: wallet }),
    cacheSeconds: CACHE_SECONDS,
    respond: async ({ w: wallet, dex }, { reader, signal }) => {
      const held = await heldOnChain(balances, wallet, signal)
      const read = await reader.run(signal, (db) => readHoldings(db, { wallet, held, dex }))
      const source = held === undefined ? ('fifo_fallback' as const) : ('onchain' as const)
      return presentHoldings(wallet, source, read, now())
    },
    readAsOf: async ({ w: wallet, dex }, past) =>
      presentHoldings(wallet, 'fifo_fallback', await readPastHoldings(past, wallet, dex), now()),
  })
  return [holdings]
}

/** Undefined without a provider, and when it does not respond: its error is logged. */
async function heldOnChain(
  balances: BalanceProvider | undefined,
  wallet: string,
  signal: AbortSignal,
): Promise<TokenBalance[] | undefined> {
  try {
    return await balances?.heldBy(wallet, signal)
  } catch (error) {
    if (error instanceof NodeUnavailable) return undefined
    throw error
  }
}
