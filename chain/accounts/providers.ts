/**
 * Providers over JSON-RPC of a Solana node: the token balances of a wallet, all of them or none, and the
 * account of a mint (its authorities, supply and extensions).
 * Decision: docs/decisions/0027-balances-are-whole-or-refused.md
 */

import { type NodeOptions, openNode } from '../rpc/json-rpc.ts'
import { TOKEN_PROGRAMS } from '../transaction/token-program.ts'
import { accountRequest, type FoundAccount, readFoundAccount } from './mint-account.ts'
import { accountsRequest, readTokenBalances, type TokenBalance } from './token-account.ts'

export type BalanceProvider = {
  /** Each mint of which the wallet holds some. Rejects with NodeUnavailable, or with the signal's reason. */
  heldBy(wallet: string, signal: AbortSignal): Promise<TokenBalance[]>
}

export function openBalances(options: NodeOptions): BalanceProvider {
  const node = openNode('balance provider', options)
  return {
    heldBy(wallet, signal) {
      const questions = TOKEN_PROGRAMS.map((program) => accountsRequest(wallet, program))
      return node.request(questions, (answers) => readTokenBalances(wallet, answers), signal)
    },
  }
}

export type MintProvider = {
  /** Finds the account at an address. Rejects with NodeUnavailable, or with the reason of the signal. */
  find(mint: string, signal: AbortSignal): Promise<FoundAccount>
}

export function openMints(options: NodeOptions): MintProvider {
  const node = openNode('mint provider', options)
  return {
    find: (mint, signal) =>
      node.request([accountRequest(mint)], ([answer]) => readFoundAccount(answer), signal),
  }
}
