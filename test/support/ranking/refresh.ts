/**
 * Rankings of stored swaps without streams: tokens are counted as after a gap, then the rankings are refreshed once.
 */
import type { Db } from '../../../sql/db.ts'
import { RankingIndex } from '../../../workers/ranking/ranked/ranking-index.ts'
import { StoredSnapshots } from '../../../workers/ranking/snapshot/snapshot-store.ts'
import type { RankingSnapshot } from '../../../workers/ranking/snapshot/snapshots.ts'
import { recountAll } from '../api/insert-ranking.ts'

export async function refreshOnce(db: Db): Promise<void> {
  await recountAll(db)
  const pages = await new RankingIndex(db, async () => []).refresh()
  if (pages === undefined) throw new Error('there is nothing to rank')
  await writePages(db, new StoredSnapshots(), pages)
}

/** Writes pages as the actor commits them. A connection whose transaction failed is closed: its temporary tables are lost. */
export async function writePages(
  db: Db,
  written: StoredSnapshots,
  pages: RankingSnapshot,
): Promise<void> {
  const connection = await db.connect()
  let isStored = false
  try {
    await connection.query('begin')
    await written.writer(pages, 0)(connection)
    await connection.query('commit')
    isStored = true
  } finally {
    connection.release(!isStored)
  }
}
