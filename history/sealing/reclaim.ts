/**
 * Returns the disk of the chunks of `swap` that sealing emptied, or left few rows in.
 *
 * Law: only a chunk whose heap has no page is dropped. Vacuum cuts off pages whose rows no snapshot sees, on this server and
 * on standbys that report theirs, so no reader misses a row. A lock is given up where another session holds the chunk.
 *
 * Rows that stay are stored again in the first pages, so that vacuum cuts off the others; then the indexes are rebuilt.
 * Decision: docs/decisions/0123-rows-that-stay-move-to-the-first-pages.md
 */
import { type Connection, sqlCode } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

type Chunk = {
  name: string
  first_slot: number
  end_slot: number
  row_count: number
  bytes: number
}

const LOCK_BOUND = "set local lock_timeout = '200ms'"
const LOCK_UNAVAILABLE = '55P03'
/** A chunk with more rows is left to its segments: their rewriting seals most of them. Moved in about 100 ms. */
const MOVED_ROWS_MAX = 10_000
/** A row takes about 500 bytes with its indexes, an empty chunk a page for each of its indexes. */
const ROW_BYTES = 1_000
const CHUNK_BYTES = 2 ** 18
/** Rows that a page holds at least. */
const PAGE_ROWS = 8

const listChunks = query<Chunk>('sealing/list_sealed_chunks')
const findPages = query<{ bytes: number }>('sealing/find_chunk_bytes')
const findPending = query<{ reason: string }>('sealing/find_pending')
const moveRows = query<{ row_count: number }>('sealing/move_rows')
const dropChunk = query('sealing/drop_chunk')

/** Returns how many chunks were dropped. On an idle connection. */
export async function reclaimChunks(connection: Connection): Promise<number> {
  let dropped = 0
  for (const chunk of await listChunks(connection, [MOVED_ROWS_MAX + 1])) {
    if (chunk.row_count > 0) {
      await shrink(connection, chunk)
      continue
    }
    await connection.query(`vacuum ${chunk.name}`)
    if (await dropEmpty(connection, chunk)) dropped += 1
  }
  return dropped
}

async function shrink(connection: Connection, chunk: Chunk): Promise<void> {
  const { name, row_count: rows, bytes } = chunk
  if (rows > MOVED_ROWS_MAX || bytes <= CHUNK_BYTES + rows * ROW_BYTES) return
  // Before the rows move, so that inserts find free pages, the first ones first.
  await connection.query(`vacuum ${name}`)
  if (!(await moveLateRows(connection, chunk))) return
  await connection.query(`vacuum ${name}`)
  await withLock(connection, `lock table ${name} in access exclusive mode`, async () => {
    await connection.query(`reindex table ${name}`)
    return true
  })
}

/**
 * Moves the rows that are beyond the pages that they need. Writers of the chunk wait meanwhile, readers do not: a writer that waited for a row that moved
 * would not find it. False where they may not move now: a commit that is not published is found by its transaction.
 */
function moveLateRows(connection: Connection, chunk: Chunk): Promise<boolean> {
  const { name, first_slot: first, end_slot: end, row_count: rows } = chunk
  const lock = `lock table ${name} in exclusive mode`
  return withLock(connection, lock, async () => {
    const [pending] = await findPending(connection, [first, end - 1])
    if (pending !== undefined) return false
    await moveRows(connection, [first, end, Math.ceil(rows / PAGE_ROWS) + 1])
    return true
  })
}

async function dropEmpty(connection: Connection, chunk: Chunk): Promise<boolean> {
  if ((await findPages(connection, [chunk.name]))[0]!.bytes > 0) return false
  const lock = `lock table ${chunk.name} in access exclusive mode`
  return withLock(connection, lock, async () => {
    // Again: a late swap may have been stored meanwhile.
    const isEmpty = (await findPages(connection, [chunk.name]))[0]!.bytes === 0
    if (isEmpty) await dropChunk(connection, [chunk.first_slot, chunk.end_slot])
    return isEmpty
  })
}

/** Runs `change` in a transaction that holds a lock; false where the lock cannot be had at once. */
async function withLock(
  connection: Connection,
  lock: string,
  change: () => Promise<boolean>,
): Promise<boolean> {
  try {
    await connection.query('begin')
    await connection.query(LOCK_BOUND)
    await connection.query(lock)
    const isDone = await change()
    await connection.query('commit')
    return isDone
  } catch (error) {
    await connection.query('rollback').catch(() => {})
    if (sqlCode(error) === LOCK_UNAVAILABLE) return false
    throw error
  }
}
