/** Finds stored swaps by signature. A hash may be shared: texts decide. */
import type { Int64 } from '../../domain/amount.ts'
import type { SwapRow } from '../../domain/events/stored-row.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import { signatureHash } from '../../domain/numbers/signature-hash.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import type { ServedSwap } from './served-swap.ts'

/** Where swaps of a signature are in one pool; several positions of both differ in `copy`. */
export type SignatureRow = {
  signature_hash: Int64
  pair_hash: number
  copy: number
  slot: number
  block_tx_index: number
}
type PositionKey = { slot: number; block_tx_index: number }
/** The hash as text. */
type PositionRow = PositionKey & { signature_hash: string }

const findSignature = query<PositionKey>('swap-history/find_signature')
const findSignatureRows = query<SignatureRow>('swap-history/find_signatures')
const findPositions = query<PositionRow>('swap-history/find_signature_positions')
const listTransactionSwaps = query<ServedSwap>('swap-history/list_transaction_swaps')
const listKnown = query<SwapRow>('swap-history/list_known_swaps')

/** All swaps of a transaction, unordered; none for an unknown signature. */
export async function swapsOfTransaction(db: Queryable, signature: string): Promise<ServedSwap[]> {
  const transactions = await findSignature(db, [signatureHash(signature)])
  const rows: ServedSwap[] = []
  for (const { slot, block_tx_index } of transactions) {
    rows.push(...(await listTransactionSwaps(db, [slot, block_tx_index, signature])))
  }
  return rows
}

/** The rows of signatures, unordered. `hashes`: bigint[] as its binary form (sql/binary/arrays.ts). */
export function findSignatures(db: Queryable, hashes: Buffer): Promise<SignatureRow[]> {
  return findSignatureRows(db, [hashes])
}

/** Where signatures are, unordered. */
export function findSignaturePositions(
  db: Queryable,
  hashes: readonly bigint[],
): Promise<PositionRow[]> {
  return findPositions(db, [hashes])
}

/** The swaps at some positions that have one of these signatures, unordered. At least one position. */
export function listKnownSwaps(
  db: Queryable,
  positions: readonly PositionKey[],
  signatures: readonly string[],
): Promise<SwapRow[]> {
  const slots = positions.map(({ slot }) => slot)
  const indexes = positions.map((position) => position.block_tx_index)
  return listKnown(db, [slots, indexes, signatures, leastOf(slots), greatestOf(slots)])
}

/** The same as `swapsOfTransaction`, as events are stored. */
export async function rowsOfTransaction(db: Queryable, signature: string): Promise<SwapRow[]> {
  const positions = await findSignature(db, [signatureHash(signature)])
  return positions.length === 0 ? [] : listKnownSwaps(db, positions, [signature])
}
