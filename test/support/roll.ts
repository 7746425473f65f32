/** Rankings of stored swaps without streams: tokens are counted as after a gap, then the board rolls once. */
import type { Connection, Db } from '../../sql/db.ts'
import { Board } from '../../workers/ranking/board.ts'
import { WrittenPages } from '../../workers/ranking/page-store.ts'
import { nextRecounted, recountPage } from '../../workers/ranking/recount.ts'

export async function rollOnce(db: Db): Promise<void> {
  await db.query('insert into ranking_recount (next_token_id) values (0)')
  for (let from = await nextRecounted(db); from !== undefined; from = await nextRecounted(db)) {
    const tokenId = from
    await inTransaction(db, (connection) => recountPage(connection, tokenId))
  }
  const pages = await new Board(db, async () => []).roll()
  if (pages === undefined) throw new Error('there is nothing to rank')
  await inTransaction(db, new WrittenPages().writer(pages, 0))
}

async function inTransaction(
  db: Db,
  work: (connection: Connection) => Promise<unknown>,
): Promise<void> {
  const connection = await db.connect()
  try {
    await connection.query('begin')
    await work(connection)
    await connection.query('commit')
  } finally {
    connection.release(true)
  }
}
