/** The server's settings for clients whose machine may vanish: when to drop them. */
import test from 'ava'
import { createReader } from '../../api/routing/reading/reader.ts'
import { connect } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { testDatabase } from '../support/servers/database.ts'
import { testServers } from '../support/servers/servers.ts'
import { openJobBench } from '../support/workers/jobs.ts'

const { databaseUrl } = testServers()
const BOUND_MS = 60_000

async function settingsOf(db: Queryable): Promise<string[]> {
  const { rows } = await db.query(
    `select name, setting from pg_settings
     where name like 'tcp\\_keepalives\\_%' or name = 'tcp_user_timeout' order by name`,
  )
  return rows.map(({ setting }) => setting)
}

const ofUrl = async (url: string): Promise<string[]> => {
  const db = connect(url, { max: 1 })
  try {
    return await settingsOf(db)
  } finally {
    await db.end()
  }
}

test('the server drops a vanished idle client within a minute, unless the URL overrides it', async (t) => {
  t.deepEqual(await ofUrl(databaseUrl), ['3', '30', '10', '0'])
  const url = new URL(databaseUrl)
  url.searchParams.set('options', '-c tcp_keepalives_idle=7 -c work_mem=1MB')
  t.deepEqual(await ofUrl(url.href), ['3', '7', '10', '0'])
  const database = await testDatabase()
  t.teardown(() => database.drop())
  const reader = createReader(database.databaseUrl, { deadlineMs: BOUND_MS })
  t.teardown(() => reader.end())
  const ofReader = await reader.run(AbortSignal.timeout(BOUND_MS), settingsOf)
  t.deepEqual(ofReader, ['3', '30', '10', '0'])
})

test('also gives up a job connection that accepts no answer, since it may hold a lock', async (t) => {
  const bench = openJobBench(t)
  let settings: string[] = []
  const work = async (_: unknown, { db }: { db: Queryable }): Promise<void> => {
    settings = await settingsOf(db)
  }
  bench.work({ databaseUrl, functions: { screener: work } })
  const requested = bench
    .queue()
    .requestAndWait('screener', { window: '1h' }, AbortSignal.timeout(BOUND_MS))
  await requested
  t.deepEqual(settings, ['3', '30', '10', '60000'])
})
