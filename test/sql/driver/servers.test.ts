/** The servers of the tests themselves: a standby that lags, dies and is promoted, and a pooler of transactions. */
import test from 'ava'
import pg from 'pg'
import { pgBouncer } from '../../support/cluster/pgbouncer.ts'
import { onNode, postgresCluster } from '../../support/cluster/postgres.ts'
import { until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000

test('a standby follows, pauses, dies, returns and is promoted', async (t) => {
  const { primary, standbys } = await postgresCluster(t)
  const [standby] = standbys
  t.truthy(standby)
  if (standby === undefined) return
  const count = async () => (await onNode(standby, 'select count(*)::integer as n from seen'))[0]?.n
  await onNode(primary, 'create table seen (n integer)')
  await standby.catchUp()
  t.is(await count(), 0)

  await standby.pauseReplay()
  await onNode(primary, 'insert into seen values (1)')
  t.is(await count(), 0)
  await standby.resumeReplay()
  await standby.catchUp()
  t.is(await count(), 1)

  await standby.server.stop('SIGKILL')
  await t.throwsAsync(count())
  await onNode(primary, 'insert into seen values (2)')
  await standby.server.start()
  await standby.catchUp()
  t.is(await count(), 2)

  await t.throwsAsync(onNode(standby, 'insert into seen values (3)'), { code: '25006' })
  await standby.promote()
  await onNode(standby, 'insert into seen values (3)')
  t.is(await count(), 3)
})

test('a pooler gives a connection to transactions, one after the other', async (t) => {
  const { primary } = await postgresCluster(t, { standbys: 0 })
  const { url } = await pgBouncer(t, primary.url, { poolSize: 1 })
  const clients = [1, 2].map(() => new pg.Client({ connectionString: url }))
  for (const client of clients) await client.connect()
  const pids = []
  for (const client of clients) pids.push((await client.query('select pg_backend_pid() as p')).rows)
  t.deepEqual(pids[0], pids[1])
  // A startup option is refused, which is why none is sent through a pooler.
  const optioned = new pg.Client({ connectionString: url, options: '-c jit=off' })
  await t.throwsAsync(optioned.connect(), { message: /unsupported startup parameter/ })
  for (const client of clients) await client.end()
})

test('a server that was killed starts again when the last statement of its backends has ended', async (t) => {
  const { primary } = await postgresCluster(t, { standbys: 0 })
  const statement = onNode(
    primary,
    `do $$ begin while clock_timestamp() < now() + interval '13 s' loop end loop; end $$`,
  ).catch(() => {})
  await until('the statement runs', BOUND_MS, async () => {
    const text = `select from pg_stat_activity where query like 'do %' and state = 'active'`
    return (await onNode(primary, text)).length > 0
  })
  primary.server.kill('SIGKILL')
  await primary.server.start()
  await statement
  t.deepEqual(await onNode(primary, 'select 1 as one'), [{ one: 1 }])
})
