/** Reads a mint's account from a Solana node. An unavailable node is a result, not an error. */

import type { FoundAccount } from '../../../chain/accounts/mint-account.ts'
import type { MintProvider } from '../../../chain/accounts/providers.ts'
import { NodeUnavailable } from '../../../chain/rpc/json-rpc.ts'

export type OnchainFound = FoundAccount | { kind: 'unavailable' } | { kind: 'not_configured' }

/** The provider logs why a node did not answer. Rejects when the signal aborts. */
export async function findOnchain(
  mints: MintProvider | undefined,
  mint: string,
  signal: AbortSignal,
): Promise<OnchainFound> {
  if (mints === undefined) return { kind: 'not_configured' }
  try {
    return await mints.find(mint, signal)
  } catch (error) {
    if (error instanceof NodeUnavailable) return { kind: 'unavailable' }
    throw error
  }
}
