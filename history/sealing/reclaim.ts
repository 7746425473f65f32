/**
 * Drops the chunks of `swap` that sealing emptied.
 *
 * Law: only a chunk whose heap has no page is dropped. Vacuum cuts off pages whose rows no snapshot sees, on this server and
 * on standbys that report theirs, so no reader misses a row. The lock is given up where a reader holds the chunk.
 */
import { type Connection, sqlCode } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

type Chunk = { name: string; first_slot: number; end_slot: number; is_empty: boolean }

const LOCK_BOUND = "set local lock_timeout = '200ms'"
const LOCK_UNAVAILABLE = '55P03'

const listChunks = query<Chunk>('sealing/list_sealed_chunks')
const findPages = query<{ bytes: number }>('sealing/find_chunk_bytes')
const dropChunk = query('sealing/drop_chunk')

/** Returns how many chunks were dropped. On an idle connection. */
export async function reclaimChunks(connection: Connection): Promise<number> {
  let dropped = 0
  for (const chunk of await listChunks(connection)) {
    if (!chunk.is_empty) continue
    await connection.query(`vacuum ${chunk.name}`)
    if (await dropEmpty(connection, chunk)) dropped += 1
  }
  return dropped
}

async function dropEmpty(connection: Connection, chunk: Chunk): Promise<boolean> {
  if ((await findPages(connection, [chunk.name]))[0]!.bytes > 0) return false
  try {
    await connection.query('begin')
    await connection.query(LOCK_BOUND)
    await connection.query(`lock table ${chunk.name} in access exclusive mode`)
    // Again: a late swap may have been stored meanwhile.
    const isEmpty = (await findPages(connection, [chunk.name]))[0]!.bytes === 0
    if (isEmpty) await dropChunk(connection, [chunk.first_slot, chunk.end_slot])
    await connection.query('commit')
    return isEmpty
  } catch (error) {
    await connection.query('rollback').catch(() => {})
    if (sqlCode(error) === LOCK_UNAVAILABLE) return false
    throw error
  }
}
