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
import { loadRows } from '../sealed/find/rows.ts'
import { lastDropped } from '../sealed/find/stored.ts'
import { scanSegment } from '../sealed/scan/blocks.ts'
import { forgetSealed, readSealed, type Sealed, type Segment } from '../sealed/state.ts'
import { handedColumns } from '../sealed/statement.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'
import type { Wait } from '../sealing/wait.ts'
import { PoolEnds } from './pool-ends.ts'

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

type LeftRow = StoredSwap & { readonly pair_address: string }

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
const deleteLast = query('dropping/delete_last')
const insertLast = query('dropping/insert_last')
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
  const sealed = await readSealed(connection)
  const { segments, since } = sealed
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
  const left = await readLeft(connection, slots, [since?.ms ?? 0, sinceMs])
  await storeLast(connection, sealed, segment, left)
  const swaps = countOf(segment) + (await deleteLeft(connection, slots, left))
  await deleteSegment(connection, [segment.id])
  await mergeBound(connection, [slots.high + 1, sinceMs, swaps])
  await bumpVersion(connection)
  return { outcome: 'dropped', swaps, sinceSlot: slots.high + 1 }
}

const countOf = ({ rowCount, goneCount }: Segment): number => rowCount - goneCount

type Slots = { readonly low: number; readonly high: number }
/** Rows of `swap` in slots that are dropped. `hot`: pools and slots, pairwise, of those that functions of the database read: they stay. */
type Left = {
  readonly rows: readonly LeftRow[]
  readonly hot: readonly { readonly pool_id: number; readonly slot: number }[]
  readonly isStaying: (swap: StoredSwap) => boolean
}

async function readLeft(
  connection: Connection,
  { low, high }: Slots,
  [firstMs, endMs]: readonly [number, number],
): Promise<Left> {
  const hot = await listHot(connection, [low, high, bucketOf(firstMs, MINUTE_MS), endMs])
  const keyOf = (row: { pool_id: number; slot: number }) => `${row.pool_id} ${row.slot}`
  const keys = new Set(hot.map(keyOf))
  const rows = await listLeft(connection, [low, high])
  return { rows, hot, isStaying: (swap) => keys.has(keyOf(swap)) }
}

/** Stores the swaps that the states of pools follow from once their later swaps are retracted. */
async function storeLast(
  connection: Connection,
  sealed: Sealed,
  segment: Segment,
  { rows, isStaying }: Left,
): Promise<void> {
  const ends = new PoolEnds<StoredSwap | number>()
  for (const swap of rows) ends.add(swap, swap)
  await addSegment(connection, segment, ends)
  const poolIds = ends.poolIds()
  for (const swap of await lastDropped(connection, sealed, poolIds)) ends.add(swap, swap)
  const last = Map.groupBy(ends.rows(), (row) => typeof row === 'number')
  const numbers = (last.get(true) ?? []) as number[]
  const located = await loadRows(connection, [{ segment, rows: numbers }])
  const swaps = [...((last.get(false) ?? []) as StoredSwap[]), ...located.map(({ swap }) => swap)]
  await deleteLast(connection, [poolIds])
  for (const [stays, some] of Map.groupBy(swaps, isStaying)) {
    await insertLast(connection, [...handedColumns(some), stays])
  }
}

/** Adds the rows of a segment that count, by number. */
async function addSegment(
  connection: Connection,
  segment: Segment,
  ends: PoolEnds<StoredSwap | number>,
): Promise<void> {
  for await (const { firstRow, columns, isGone } of scanSegment(connection, segment)) {
    const { integers, count } = columns
    for (let row = 0; row < count; row++) {
      if (isGone?.(row) === true) continue
      const swap = {
        pool_id: integers.pool_id.near(row),
        slot: integers.slot.near(row),
        block_tx_index: integers.block_tx_index.near(row),
        ix_index: integers.ix_index.near(row),
        timestamp_ms: integers.timestamp_ms.near(row),
        sol_amount: integers.sol_amount.get(row),
        token_amount: integers.token_amount.get(row),
        quote_decimals: integers.quote_decimals.near(row),
        agent_trade: integers.agent_trade.near(row),
      }
      ends.add(swap, firstRow + row)
    }
  }
}

/** Deletes the rows that do not stay. Returns how many there were. */
async function deleteLeft(
  connection: Connection,
  { low, high }: Slots,
  { rows, hot, isStaying }: Left,
): Promise<number> {
  const left = rows.filter((row) => !isStaying(row))
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
  const poolIds = hot.map((row) => row.pool_id)
  const slots = hot.map(({ slot }) => slot)
  const [deleted] = await deleteSwaps(connection, [low, high, poolIds, slots])
  return deleted!.row_count
}
