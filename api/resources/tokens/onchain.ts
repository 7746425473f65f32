/** What a node says of a mint, and that it says nothing: never an error by its fault. */
import { NodeUnavailable } from '../../../streams/solana/json-rpc.ts'
import type { FoundAccount } from '../../../streams/solana/mint-account.ts'
import type { MintProvider } from '../../../streams/solana/mint-provider.ts'

export type OnchainFound = FoundAccount | { kind: 'unavailable' } | { kind: 'not_configured' }

/** Why a node did not answer stands in the log. Rejects as the signal says. */
export async function findOnchain(
  mints: MintProvider | undefined,
  mint: string,
  signal: AbortSignal,
): Promise<OnchainFound> {
  if (mints === undefined) return { kind: 'not_configured' }
  try {
    return await mints.find(mint, signal)
  } catch (fault) {
    if (fault instanceof NodeUnavailable) return { kind: 'unavailable' }
    throw fault
  }
}
