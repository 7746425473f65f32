/**
 * Drops the oldest sealed swaps: in one transaction a segment is deleted, with the rows of its slots that are still in `swap`, and the
 * bound moves up to the slot after it. So every snapshot has either the swaps and the bound before, or neither.
 *
 * Law: whatever needs these swaps is refused from the same commit on: readers by BeforeHistory, lanes by the bound that they compare at
 * their commit (expectSealedAlike).
 *
 * Decision: docs/decisions/0128-old-swaps-are-dropped-by-segments.md
 */
import { pairHash, signatureHash } from '../../domain/numbers/signature-hash.ts'
import { bucketOf, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { type Connection, sqlCode } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { forgetSealed, readSealed, type Segment } from '../sealed/state.ts'
import type { Wait } from '../sealing/wait.ts'

/** The reason why swaps are still needed, for operators. */
type Need = {
  readonly cause: 'ledger_recompute' | 'ledger_audit' | 'sandwich_search'
  readonly reason: string
}
/** `swaps`: that were dropped. `sinceSlot`: where stored swaps begin. */
type Drop =
  | { readonly outcome: 'dropped'; readonly swaps: number; readonly sinceSlot: number }
  | { readonly outcome: 'nothing' }
  /** Something is to happen with these swaps first. */
  | { readonly outcome: 'waits'; readonly wait: Need | Wait }

/** A change of a row that is being dropped fails the drop, which is repeated. */
const TRIES_MAX = 3
const SERIALIZATION_CODES = new Set(['40001', '40P01'])
const BEGIN = 'begin isolation level repeatable read'

type LeftRow = { signature: string; pair_address: string; slot: number; block_tx_index: number }

const findLimit = query<{ slot: number | null }>('sealing/find_limit')
const findPending = query<Wait>('sealing/find_pending')
const findNeeding = query<Need>('dropping/find_needing')
const readEnd = query<{ end_ms: number | null }>('dropping/read_end')
const listLeft = query<LeftRow>('dropping/list_left')
const listHot = query<{ pool_id: number; slot: number }>('sealing/list_hot')
const deleteSwaps = query<{ row_count: number }>('sealing/delete_swaps')
const deleteSignatures = query<{ signature_hash: number | bigint; pair_hash: number }>(
  'sealing/delete_signatures',
)
const renumberCopies = query('sealing/renumber_copies')
const deleteSegment = query('sealing/delete_segment')
const mergeBound = query('dropping/merge_bound')
const bumpVersion = query('sealing/bump_version')

/**
 * Drops the first segment where all its swaps, and all of earlier slots, are older than a time, Unix ms. In a transaction of its own on
 * an idle connection.
 */
export async function dropFirst(connection: Connection, beforeMs: number): Promise<Drop> {
  for (let tries = 1; ; tries++) {
    try {
      await connection.query(BEGIN)
      const drop = await dropInTransaction(connection, beforeMs)
      await connection.query(drop.outcome === 'dropped' ? 'commit' : 'rollback')
      return drop
    } catch (error) {
      // On a lost connection the rollback fails, and need not be done.
      await connection.query('rollback').catch(() => {})
      const isConflict = SERIALIZATION_CODES.has(sqlCode(error) ?? '')
      if (!isConflict || tries >= TRIES_MAX) throw error
    } finally {
      forgetSealed(connection)
    }
  }
}

async function dropInTransaction(connection: Connection, beforeMs: number): Promise<Drop> {
  const { segments, since } = await readSealed(connection)
  const [segment] = segments
  const [limit] = await findLimit(connection, [beforeMs])
  if (segment === undefined || segment.lastSlot > (limit?.slot ?? Number.MAX_SAFE_INTEGER)) {
    return { outcome: 'nothing' }
  }
  const slots = { low: since?.slot ?? 0, high: segment.lastSlot }
  const [pending] = await findPending(connection, [slots.low, slots.high])
  if (pending !== undefined) return { outcome: 'waits', wait: pending }
  const [needing] = await findNeeding(connection, [slots.high])
  if (needing !== undefined) return { outcome: 'waits', wait: needing }
  const [end] = await readEnd(connection, [slots.high])
  const sinceMs = bucketOf(end?.end_ms ?? beforeMs, MINUTE_MS) + MINUTE_MS
  const left = await dropLeft(connection, slots, [since?.ms ?? 0, sinceMs])
  const swaps = countOf(segment) + left
  await deleteSegment(connection, [segment.id])
  await mergeBound(connection, [slots.high + 1, sinceMs, swaps])
  await bumpVersion(connection)
  return { outcome: 'dropped', swaps, sinceSlot: slots.high + 1 }
}

const countOf = ({ rowCount, goneCount }: Segment): number => rowCount - goneCount

/** Deletes the rows of `swap` in slots but those that functions of the database read. Returns how many there were. */
async function dropLeft(
  connection: Connection,
  { low, high }: { readonly low: number; readonly high: number },
  [firstMs, endMs]: readonly [number, number],
): Promise<number> {
  const staying = await listHot(connection, [low, high, bucketOf(firstMs, MINUTE_MS), endMs])
  const poolIds = staying.map((row) => row.pool_id)
  const slots = staying.map(({ slot }) => slot)
  const left = await listLeft(connection, [low, high, poolIds, slots])
  if (left.length === 0) return 0
  const copies = await deleteSignatures(connection, [
    left.map(({ signature }) => signatureHash(signature)),
    left.map((row) => pairHash(row.pair_address)),
    left.map(({ slot }) => slot),
    left.map((row) => row.block_tx_index),
  ])
  if (copies.length > 0) {
    await renumberCopies(connection, [
      copies.map((copy) => copy.signature_hash),
      copies.map((copy) => copy.pair_hash),
    ])
  }
  const [deleted] = await deleteSwaps(connection, [low, high, poolIds, slots])
  return deleted!.row_count
}
