/**
 * Counts the traders of all tokens afresh from the `swap` table, a page of tokens a transaction, while it holds the
 * ranking's lane: FEED is not consumed meanwhile. The next owner of the lane resumes a rebuild that died.
 */

import type { Log } from '../../domain/log.ts'
import { expectAllStored } from '../../history/sealed/find/stored.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { beginRecount, nextRecounted, recountPage } from '../ranking/recount.ts'
import { withAllLanes } from './lane-takeover.ts'

const countStarts = query<{ tokens: number }>('ranking/count_starts')

type RankingRebuildReport = { swaps: number; tokens: number }

type RankingRebuildOptions = {
  log: Log
  /** Aborted: the lane is released, the committed pages stay. */
  signal?: AbortSignal
  /** Swaps so far, after each page. */
  onProgress?: (swaps: number) => void
}

/** Rejects when the lane was lost to another rebuild, or the database cannot be had. */
export async function rebuildRanking(
  db: Db,
  { log, signal, onProgress }: RankingRebuildOptions,
): Promise<RankingRebuildReport> {
  await expectAllStored(db)
  return withAllLanes(db, 'ranking', { laneCount: 1, log, signal }, async (takeover) => {
    const connection = await db.connect()
    try {
      let swaps = 0
      await beginRecount(connection)
      for (;;) {
        await connection.query('begin')
        const from = await nextRecounted(connection)
        if (from === undefined) break
        swaps += await recountPage(connection, from)
        // After the page, which may take long: this locks the row of the lease, which must be renewed meanwhile.
        await takeover.hold(connection)
        await connection.query('commit')
        onProgress?.(swaps)
      }
      await connection.query('commit')
      const [row] = await countStarts(connection)
      return { swaps, tokens: row?.tokens ?? 0 }
    } finally {
      // Closed, so that the server rolls back any transaction that a failure left open.
      connection.release(true)
    }
  })
}
