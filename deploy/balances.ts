/** The balance provider that the environment names, for those parts that ask it; none without one. */
import { type BalanceProvider, openBalances } from '../streams/balances.ts'
import type { Log } from '../streams/log.ts'
import type { Config } from './config.ts'

export function balancesOf({ balanceRpcUrl }: Config, log: Log): { balances?: BalanceProvider } {
  return balanceRpcUrl === undefined
    ? {}
    : { balances: openBalances({ rpcUrl: balanceRpcUrl, log }) }
}
