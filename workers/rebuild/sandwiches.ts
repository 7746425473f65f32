/**
 * Searches the `swap` table for sandwiches again, a pool a transaction, alongside live workers and the job that follows them: swaps
 * committed meanwhile have their notes. A rebuild that dies leaves some pools rebuilt; it may be run again.
 */

import type { SearchedPool } from '../../history/sandwiches/stretch.ts'
import { expectAllStored } from '../../history/sealed/find/stored.ts'
import { type Connection, type Db, inTransaction } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { replacePool } from '../sandwiches/follow.ts'

const listPools = query<SearchedPool>('sandwiches/list_pools')
const waitForFollower = query('sandwiches/wait_for_follower')

const POOLS_A_PAGE = 1_000

type SandwichRebuildReport = { swaps: number; pools: number }

/** Rejects when the database cannot be had. `onProgress`: so far, after each pool. */
export async function rebuildSandwiches(
  db: Db,
  { onProgress }: { onProgress?: (swaps: number, pools: number) => void } = {},
): Promise<SandwichRebuildReport> {
  await expectAllStored(db)
  const report: SandwichRebuildReport = { swaps: 0, pools: 0 }
  for (let after = 0; ; ) {
    const page = await listPools(db, [after, POOLS_A_PAGE])
    for (const pool of page) {
      report.swaps += await inTransaction(db, (connection) => rebuildPool(connection, pool))
      report.pools += 1
      onProgress?.(report.swaps, report.pools)
    }
    const last = page.at(-1)
    if (last === undefined) return report
    after = last.id
  }
}

async function rebuildPool(connection: Connection, pool: SearchedPool): Promise<number> {
  await waitForFollower(connection)
  return await replacePool(connection, pool)
}
