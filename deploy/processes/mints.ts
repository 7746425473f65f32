/** The mint provider that the environment names, the same node as that of balances; undefined without one. */

import type { Log } from '../../domain/log.ts'
import { type MintProvider, openMints } from '../../streams/solana/mint-provider.ts'
import type { Config } from '../config.ts'

export function mintsOf({ balanceRpcUrl }: Config, log: Log): { mints?: MintProvider } {
  return balanceRpcUrl === undefined ? {} : { mints: openMints({ rpcUrl: balanceRpcUrl, log }) }
}
