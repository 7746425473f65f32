/** A second form of the identity of swaps, for tests: isSameSwap of domain/events/swap.ts is held against it. */
import type { Swap } from '../../../domain/events/swap.ts'

/** The de-duplication key, as one text; equal texts are the same swap. */
export function swapIdentity(swap: Swap): string {
  return `${swap.signature}|${swap.dex}|${swap.ixIndex}|${swap.pairAddress}|${swap.user}|${
    swap.isBuy ? 'b' : 's'
  }|${swap.solAmount}|${swap.tokenAmount}`
}
