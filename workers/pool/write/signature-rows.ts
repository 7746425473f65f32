/**
 * The rows of swap_signature that new swaps need, where some of their signatures are stored: none for a position that has
 * its row, else one with the next `copy` of its signature and pair. Pure.
 *
 * Each position (slot and transaction index) has its row, even where two decoders report different positions of one
 * transaction: a swap that is not found by its signature would count as new when it is redelivered.
 */
import type { Int64 } from '../../../domain/amount.ts'
import type { SignatureRow } from '../../../history/swaps/signatures.ts'

/** The rows of one signature and pair. */
type Known = { chainPositions: Set<string>; nextCopy: number }

export class SignatureRows {
  private readonly byKey = new Map<string, Known>()

  constructor(stored: readonly SignatureRow[] = []) {
    for (const row of stored) {
      const known = this.knownOf(row.signature_hash, row.pair_hash)
      known.chainPositions.add(`${row.slot} ${row.block_tx_index}`)
      known.nextCopy = Math.max(known.nextCopy, row.copy + 1)
    }
  }

  /** Adds the row of a position and returns its `copy`; undefined where the position has a row. */
  add(
    signatureHash: Int64,
    pairHash: number,
    chainPosition: { slot: number; blockTxIndex: number },
  ): number | undefined {
    const known = this.knownOf(signatureHash, pairHash)
    const text = `${chainPosition.slot} ${chainPosition.blockTxIndex}`
    if (known.chainPositions.has(text)) return undefined
    known.chainPositions.add(text)
    return known.nextCopy++
  }

  private knownOf(signatureHash: Int64, pairHash: number): Known {
    const key = `${signatureHash} ${pairHash}`
    let known = this.byKey.get(key)
    if (known === undefined) {
      known = { chainPositions: new Set(), nextCopy: 0 }
      this.byKey.set(key, known)
    }
    return known
  }
}
