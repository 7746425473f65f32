/** The balance provider that the environment names, for the parts that use it; undefined without one. */

import type { Log } from '../../domain/log.ts'
import { type BalanceProvider, openBalances } from '../../streams/solana/balances.ts'
import type { Config } from '../config.ts'

export function balancesOf({ balanceRpcUrl }: Config, log: Log): { balances?: BalanceProvider } {
  return balanceRpcUrl === undefined
    ? {}
    : { balances: openBalances({ rpcUrl: balanceRpcUrl, log }) }
}
