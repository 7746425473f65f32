/** The servers of the tests themselves: a standby that lags, dies and is promoted, and a pooler of transactions. */
import test from 'ava'
import pg from 'pg'
import { pgBouncer } from '../../support/cluster/pgbouncer.ts'
import { onNode, postgresCluster } from '../../support/cluster/postgres.ts'

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
