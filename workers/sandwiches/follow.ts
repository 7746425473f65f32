/**
 * Follows the pool lanes: searches the pools of the slots that their commits noted, late swaps, pool events and retractions included,
 * and writes what it finds in the transaction that deletes these notes. So a note is spent once, and a run that dies leaves all of it.
 * Pools in which no wallet and no quantity is on both sides are not read. Brackets that begin before the first stored slot stay.
 */

import { WINDOW_MAX } from '../../domain/market/sandwich/cuts.ts'
import { DUST_BASE_UNITS } from '../../domain/venue.ts'
import {
  findPools,
  mergedRuns,
  type SearchedPool,
  searchAround,
  searchPool,
} from '../../history/sandwiches/stretch.ts'
import { storedSince } from '../../history/sealed/find/stored.ts'
import { findNextSlot, listBracketPools, type SlotRun } from '../../history/swaps/sandwiches.ts'
import { type Connection, type Db, inTransaction } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { replaceBrackets } from './store.ts'

type DueRow = { id: number; first_slot: number; last_slot: number }

const lockFollower = query<{ is_taken: boolean }>('sandwiches/lock_follower')
const noteStored = query('sandwiches/note_stored_slots')
const listDue = query<DueRow>('sandwiches/list_due')
const deleteDue = query('sandwiches/delete_due')
const deleteOutside = query('sandwiches/delete_outside')
const shortenDue = query('sandwiches/shorten_due')

/** Notes of a transaction, and slots of one of them. */
const NOTES_AT_ONCE = 500
const SLOTS_AT_ONCE = 500

/** Resolves when no note is left, or another process follows: to whether any was followed. */
export async function followSandwiches(db: Db, signal: AbortSignal): Promise<boolean> {
  let hasFollowed = false
  while (!signal.aborted && (await inTransaction(db, followNotes))) hasFollowed = true
  return hasFollowed
}

/** Returns whether notes may be left. */
async function followNotes(connection: Connection): Promise<boolean> {
  const [lock] = await lockFollower(connection)
  if (lock?.is_taken !== true) return false
  await noteStored(connection)
  const due = await listDue(connection, [NOTES_AT_ONCE, SLOTS_AT_ONCE])
  if (due.length === 0) return false
  const taken = due.map((row) => ({
    ...row,
    end: Math.min(row.last_slot, row.first_slot + SLOTS_AT_ONCE),
  }))
  for (const { poolId, run } of await concernedPools(connection, taken)) {
    await followPool(connection, poolId, run)
  }
  const whole = taken.filter(({ end, last_slot }) => end === last_slot)
  await deleteDue(connection, [whole.map(({ id }) => id)])
  for (const { id, end, last_slot } of taken) {
    if (end < last_slot) await shorten(connection, id, { low: end + 1, high: last_slot })
  }
  return true
}

/** Continues a note at its next slot with a swap, if there is one. */
async function shorten(
  connection: Connection,
  id: number,
  slots: { low: number; high: number },
): Promise<void> {
  const next = await findNextSlot(connection, slots)
  if (next === undefined) await deleteDue(connection, [[id]])
  else await shortenDue(connection, [id, next])
}

/** `run` undefined: the whole pool. */
type Concerned = { readonly poolId: number; readonly run: SlotRun | undefined }

async function concernedPools(
  connection: Connection,
  taken: readonly { first_slot: number; end: number }[],
): Promise<Concerned[]> {
  const runs = mergedRuns(taken.map(({ first_slot: first, end: last }) => ({ first, last })))
  const near = { near: WINDOW_MAX, tokensMin: DUST_BASE_UNITS }
  const rows = await listBracketPools(connection, runs, near)
  return [...Map.groupBy(rows, ({ pool_id }) => pool_id)].flatMap(([poolId, own]): Concerned[] => {
    if (own.some(({ is_whole }) => is_whole)) return [{ poolId, run: undefined }]
    return own.map(({ run }) => ({ poolId, run: runs[run - 1] }))
  })
}

async function followPool(
  connection: Connection,
  poolId: number,
  run: SlotRun | undefined,
): Promise<void> {
  const [found] = await findPools(connection, [[poolId]])
  if (found === undefined) return
  const since = await storedSince(connection)
  const pool = since === undefined ? found : { ...found, storedFrom: since.slot }
  if (run === undefined) {
    await replacePool(connection, pool)
    return
  }
  await replaceBrackets(connection, poolId, await searchAround(connection, pool, run))
}

/** Searches all swaps of a pool. Returns how many were read. */
export async function replacePool(connection: Connection, pool: SearchedPool): Promise<number> {
  const { id, first_slot: first, last_slot: last } = pool
  await deleteOutside(connection, [id, first ?? 0, last ?? -1])
  let swaps = 0
  for await (const searched of searchPool(connection, pool)) {
    await replaceBrackets(connection, id, searched)
    swaps += searched.swaps
  }
  return swaps
}
