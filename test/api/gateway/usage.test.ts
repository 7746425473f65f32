/** What keys ask in a month, over a real database: each request counts once, whatever else fails. */
import test from 'ava'
import { startUsage } from '../../../api/gateway/usage.ts'
import type { Db } from '../../../sql/db.ts'
import { testDatabase } from '../../support/database.ts'
import { until } from '../../support/pipeline.ts'
import { SILENT } from '../api-under-test.ts'

const LINEAGE = '00000000-0000-4000-8000-000000000001'

async function countedIn(db: Db): Promise<number> {
  const { rows } = await db.query(
    'select coalesce(sum(requests), 0)::integer as sum from api_usage',
  )
  return rows[0].sum
}

test('a request that was written is not written again where the process cannot say that it lives', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query('alter table api_instance rename to not_there')
  const usage = startUsage({ run: (work) => work(db), now: Date.now, log: SILENT })
  t.teardown(() => usage.end())
  for (let count = 0; count < 3; count++) usage.count(LINEAGE)
  await until('they are written', 60_000, async () => (await countedIn(db)) > 0)
  t.is(await usage.thisMonth(db, LINEAGE), 3n)
  await usage.end()
  t.is(await countedIn(db), 3)
})
