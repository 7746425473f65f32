/** Finds stored swaps by signature. A hash may be shared: texts decide. */
import type { Int64 } from '../../domain/amount.ts'
import type { SwapRow } from '../../domain/events/stored-row.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import { pairHash, signatureHash } from '../../domain/numbers/signature-hash.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { areFound, ofHashes, ofSignatures, type SignedRow } from '../sealed/find/signatures.ts'
import { storedRows } from '../sealed/find/stored.ts'
import { type Sealed, withSealed, withSealedFrom } from '../sealed/state.ts'
import { swapStatement } from '../sealed/statement.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'
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
const listPairAddresses = query<{ id: number; pair_address: string }>(
  'sealed-history/list_pair_addresses',
)
const findPositions = query<PositionRow>('swap-history/find_signature_positions')
const listTransactionSwaps = swapStatement<ServedSwap>('swap-history/list_transaction_swaps')
const listKnown = swapStatement<SwapRow>('swap-history/list_known_swaps')

/** All swaps of a transaction, unordered; none for an unknown signature. */
export function swapsOfTransaction(db: Queryable, signature: string): Promise<ServedSwap[]> {
  return withSealed(db, async (sealed) => {
    const positions = await positionsOf(db, sealed, signature)
    const rows: ServedSwap[] = []
    for (const { slot, block_tx_index, handed } of positions) {
      rows.push(...(await listTransactionSwaps(db, [slot, block_tx_index, signature], handed)))
    }
    return rows
  })
}

/** Stored positions that hold swaps of a signature, with those of them that are sealed. */
async function positionsOf(
  db: Queryable,
  sealed: Sealed,
  signature: string,
): Promise<(PositionKey & { readonly handed: readonly StoredSwap[] })[]> {
  const [hot, old] = await Promise.all([
    findSignature(db, [signatureHash(signature)]),
    ofSignatures(db, sealed, [signature]),
  ])
  const keyOf = ({ slot, block_tx_index }: PositionKey) => `${slot} ${block_tx_index}`
  const handed = Map.groupBy(old, keyOf)
  const positions = new Map(storedRows(sealed, [...hot, ...old]).map((each) => [keyOf(each), each]))
  return [...positions].map(([key, { slot, block_tx_index }]) => ({
    slot,
    block_tx_index,
    handed: handed.get(key) ?? [],
  }))
}

/** The rows of signatures that are not sealed, unordered. `hashes`: bigint[] as its binary form (sql/binary/arrays.ts). */
export function findSignatures(db: Queryable, hashes: Buffer): Promise<SignatureRow[]> {
  return findSignatureRows(db, [hashes])
}

/** Rows that sealed signatures would have, unordered: as if each had been stored first. */
export function findSealedSignatures(
  db: Queryable,
  hashes: readonly bigint[],
): Promise<SignatureRow[]> {
  return withSealed(db, async (sealed) => {
    const swaps = await ofHashes(db, sealed, hashes)
    const addresses = await pairAddresses(db, swaps)
    return swaps.map((swap) => ({
      signature_hash: signatureHash(swap.signature),
      pair_hash: pairHash(addresses.get(swap.pool_id)!),
      copy: 0,
      slot: swap.slot,
      block_tx_index: swap.block_tx_index,
    }))
  })
}

async function pairAddresses(
  db: Queryable,
  swaps: readonly StoredSwap[],
): Promise<ReadonlyMap<number, string>> {
  if (swaps.length === 0) return new Map()
  const rows = await listPairAddresses(db, [[...new Set(swaps.map((swap) => swap.pool_id))]])
  return new Map(rows.map(({ id, pair_address }) => [id, pair_address]))
}

/** Where signatures are, unordered. */
export function findSignaturePositions(
  db: Queryable,
  hashes: readonly bigint[],
): Promise<PositionRow[]> {
  return withSealed(db, async (sealed) => {
    const [hot, old] = await Promise.all([
      findPositions(db, [hashes]),
      ofHashes(db, sealed, hashes),
    ])
    const positions = old.map(({ signature, slot, block_tx_index }) => ({
      signature_hash: String(signatureHash(signature)),
      slot,
      block_tx_index,
    }))
    return [...hot, ...positions]
  })
}

/** Whether each of some sealed rows is found by its signature. */
export function areSignaturesFound(
  db: Queryable,
  rows: readonly SignedRow[],
): Promise<readonly boolean[]> {
  return withSealed(db, (sealed) => areFound(db, sealed, rows))
}

/** The swaps at some positions that have one of these signatures, unordered. At least one position. */
export function listKnownSwaps(
  db: Queryable,
  positions: readonly PositionKey[],
  signatures: readonly string[],
): Promise<SwapRow[]> {
  const slots = positions.map(({ slot }) => slot)
  const indexes = positions.map((position) => position.block_tx_index)
  const parameters = [slots, indexes, signatures, leastOf(slots), greatestOf(slots)]
  return withSealedFrom(
    db,
    leastOf(slots),
    () => listKnown(db, parameters, []),
    async (sealed) => listKnown(db, parameters, await ofSignatures(db, sealed, signatures)),
  )
}

/** The same as `swapsOfTransaction`, as events are stored. */
export function rowsOfTransaction(db: Queryable, signature: string): Promise<SwapRow[]> {
  return withSealed(db, async (sealed) => {
    const positions = await positionsOf(db, sealed, signature)
    if (positions.length === 0) return []
    const slots = positions.map(({ slot }) => slot)
    const indexes = positions.map((position) => position.block_tx_index)
    const parameters = [slots, indexes, [signature], leastOf(slots), greatestOf(slots)]
    return listKnown(
      db,
      parameters,
      positions.flatMap(({ handed }) => handed),
    )
  })
}
