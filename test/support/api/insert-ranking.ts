// Stores the tables of the ranking as after a recount of every stored swap.

import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { nextRecounted, recountPage } from '../../../workers/ranking/recount.ts'

const beginRecount = query('ranking/begin_recount')

export async function recountAll(db: Db): Promise<void> {
  const connection = await db.connect()
  try {
    await beginRecount(connection)
    for (;;) {
      const from = await nextRecounted(connection)
      if (from === undefined) return
      await connection.query('begin')
      await recountPage(connection, from)
      await connection.query('commit')
    }
  } finally {
    connection.release()
  }
}
