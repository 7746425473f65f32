/**
 * Reads the account of a mint from a Solana node over JSON-RPC: its authorities, supply and extensions.
 */
import { type NodeOptions, openNode } from './json-rpc.ts'
import { accountRequest, type FoundAccount, readFoundAccount } from './mint-account.ts'

export type MintProvider = {
  /** Finds the account at an address. Rejects with NodeUnavailable, or with the signal's reason. */
  find(mint: string, signal: AbortSignal): Promise<FoundAccount>
}

export function openMints(options: NodeOptions): MintProvider {
  const node = openNode('mint provider', options)
  return {
    find: (mint, signal) =>
      node.ask([accountRequest(mint)], ([answer]) => readFoundAccount(answer), signal),
  }
}
