/**
 * Moves sealed swaps back to `swap`, in the transaction of a writer that is about to change them: the rows of the segment no
 * longer count from the same commit on.
 *
 * In a subtransaction: the rows that a commit stored are found by its transaction id, and these were stored by earlier ones.
 * Decision: docs/decisions/0097-a-seal-is-one-transaction.md
 */
import { pairHash, signatureHash } from '../../domain/numbers/signature-hash.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { type LocatedSwap, locateSlots } from '../sealed/find/slots.ts'
import { storedLow } from '../sealed/find/stored.ts'
import { HistoryMoved, knownSealed, readSealed } from '../sealed/state.ts'
import { handedColumns } from '../sealed/statement.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'

/** A slot of a pool. */
export type PoolSlot = { readonly poolId: number; readonly slot: number }

const bumpVersion = query('thawing/bump_version')
const countGone = query('thawing/count_gone')
const lockSegments = query<{ id: number }>('thawing/lock_segments')
const insertGone = query('thawing/insert_gone')
const insertSwaps = query('thawing/insert_swaps')
const insertSignatures = query('thawing/insert_signatures')
const listPairAddresses = query<{ id: number; pair_address: string }>(
  'sealed-history/list_pair_addresses',
)
const listPoolsOfMint = query<{ pool_id: number; slot: number }>('thawing/list_pools_of_mint')

/** Moves the swaps of slots back, in all pools. */
export function thawSlots(
  connection: Connection,
  lane: number,
  slots: readonly number[],
): Promise<void> {
  return moveBackOf(connection, lane, slots, () => true)
}

/**
 * The swaps of pools in slots are rows of `swap` afterwards, wherever they were. `lane` is the writer's. Where nothing of them
 * is sealed, no statement is sent. Throws HistoryMoved where a segment was rewritten meanwhile.
 */
export async function thaw(
  connection: Connection,
  lane: number,
  wanted: readonly PoolSlot[],
): Promise<void> {
  const keys = new Set(wanted.map(({ poolId, slot }) => `${poolId} ${slot}`))
  const slots = wanted.map(({ slot }) => slot)
  await moveBackOf(connection, lane, slots, (swap) => keys.has(`${swap.pool_id} ${swap.slot}`))
}

async function moveBackOf(
  connection: Connection,
  lane: number,
  slots: readonly number[],
  isWanted: (swap: StoredSwap) => boolean,
): Promise<void> {
  const { lastSlot: knownLast } = await knownSealed(connection)
  if (!slots.some((slot) => slot <= knownLast)) return
  const sealed = await readSealed(connection)
  const old = [...new Set(slots)].sort((a, b) => a - b)
  const ids = sealed.segments
    .filter(({ firstSlot, lastSlot }) => old.some((slot) => slot >= firstSlot && slot <= lastSlot))
    .map(({ id }) => id)
  if (ids.length === 0) return
  // Before the rows are read: another lane may be moving some of them.
  if ((await lockSegments(connection, [ids])).length < ids.length) throw new HistoryMoved()
  // Dropped rows cannot be changed: those that are still there are rows of `swap`.
  const stored = old.filter((slot) => slot >= storedLow(sealed, 0))
  const ranges = stored.map((slot) => ({ low: slot, high: slot }))
  const located = await locateSlots(connection, sealed, ranges)
  const wanted = located.filter(({ swap }) => isWanted(swap))
  if (wanted.length > 0) await moveBack(connection, lane, wanted)
}

/** Moves back the swaps of pools and of the other pools of their mints, in slots: a tie of pools within a slot is decided by their rows of `swap`. */
export async function thawMints(
  connection: Connection,
  lane: number,
  wanted: readonly PoolSlot[],
): Promise<void> {
  const { lastSlot } = await knownSealed(connection)
  const old = wanted.filter(({ slot }) => slot <= lastSlot)
  if (old.length === 0) return
  const poolIds = old.map(({ poolId }) => poolId)
  const slots = old.map(({ slot }) => slot)
  const rows = await listPoolsOfMint(connection, [poolIds, slots])
  const siblings = rows.map((row) => ({ poolId: row.pool_id, slot: row.slot }))
  await thaw(connection, lane, siblings)
}

async function moveBack(
  connection: Connection,
  lane: number,
  located: readonly LocatedSwap[],
): Promise<void> {
  await connection.query('savepoint thaw')
  const bySegment = Map.groupBy(located, ({ segmentId }) => segmentId)
  const ids = [...bySegment.keys()]
  const counts = [...bySegment.values()].map((rows) => rows.length)
  await countGone(connection, [ids, counts])
  await insertGone(connection, [
    located.map(({ segmentId }) => segmentId),
    located.map(({ rowNumber }) => rowNumber),
  ])
  await insertSwaps(connection, handedColumns(located.map(({ swap }) => swap)))
  await insertSignatures(connection, await signatureColumns(connection, located))
  await bumpVersion(connection, [lane])
  await connection.query('release savepoint thaw')
}

/** One row a transaction and pool. */
async function signatureColumns(
  connection: Connection,
  located: readonly LocatedSwap[],
): Promise<unknown[]> {
  const poolIds = [...new Set(located.map(({ swap }) => swap.pool_id))]
  const rows = await listPairAddresses(connection, [poolIds])
  const hashes = new Map(rows.map(({ id, pair_address }) => [id, pairHash(pair_address)]))
  const byPosition = new Map(
    located.map(({ swap }) => [
      `${swap.signature} ${swap.pool_id} ${swap.slot} ${swap.block_tx_index}`,
      swap,
    ]),
  )
  const swaps = [...byPosition.values()]
  return [
    swaps.map(({ signature }) => signatureHash(signature)),
    swaps.map(({ pool_id: poolId }) => hashes.get(poolId)),
    swaps.map(({ slot }) => slot),
    swaps.map((swap) => swap.block_tx_index),
  ]
}
