/**
 * Reads the token balances of a wallet from a Solana node over JSON-RPC: all of them, or an error.
 * Decision: docs/decisions/0027-balances-are-whole-or-refused.md
 */

import { type NodeOptions, openNode } from './json-rpc.ts'
import { accountsRequest, readTokenBalances, type TokenBalance } from './token-account.ts'
import { TOKEN_PROGRAMS } from './token-program.ts'

export type BalanceProvider = {
  /** Each mint of which the wallet holds some. Rejects with NodeUnavailable, or with the signal's reason. */
  heldBy(wallet: string, signal: AbortSignal): Promise<TokenBalance[]>
}

export function openBalances(options: NodeOptions): BalanceProvider {
  const node = openNode('balance provider', options)
  return {
    heldBy(wallet, signal) {
      const questions = TOKEN_PROGRAMS.map((program) => accountsRequest(wallet, program))
      return node.ask(questions, (answers) => readTokenBalances(wallet, answers), signal)
    },
  }
}
