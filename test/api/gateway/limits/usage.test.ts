/** Requests of keys in a month, over a real database: each counts once, whatever else fails. */
import test from 'ava'
import type { QueryConfig } from 'pg'
import { startUsage } from '../../../../api/gateway/limits/usage.ts'
import type { Db } from '../../../../sql/db.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'
import { testDatabase } from '../../../support/servers/database.ts'
import { until } from '../../../support/workers/pipeline.ts'

const LINEAGE = '00000000-0000-4000-8000-000000000001'

async function countedIn(db: Db): Promise<number> {
  const { rows } = await db.query(
    'select coalesce(sum(requests), 0)::integer as sum from api_usage',
  )
  return rows[0].sum
}

test('does not write a stored request again when the heartbeat of the process fails', async (t) => {
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

test('a look-up during a write of counts misses none of them', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const usage = startUsage({ run: (work) => work(db), now: Date.now, log: SILENT })
  for (let count = 0; count < 3; count++) usage.count(LINEAGE)
  const held: (() => void)[] = []
  const late = new Proxy(db, {
    get: (pool, name) =>
      name === 'query'
        ? async (statement: QueryConfig) => {
            const answer = await pool.query(statement)
            if (held.length === 0) await new Promise<void>((resolve) => held.push(resolve))
            return answer
          }
        : Reflect.get(pool, name),
  })
  const requested = usage.thisMonth(late, LINEAGE)
  await until('it was looked up', 60_000, async () => held.length > 0)
  await usage.end()
  t.is(await countedIn(db), 3)
  held[0]?.()
  t.is(await requested, 3n)
})
