// Snapshots over the real database, on connections that send without waiting and on such as do not.

import test, { type ExecutionContext } from 'ava'
import { type Connection, connect, type Db } from '../../sql/db.ts'
import { inSnapshot } from '../../sql/snapshot.ts'
import { testDatabase } from '../support/servers/database.ts'

const ISOLATION = 'show transaction_isolation'
const COUNT = 'select count(*)::integer as rows from seen'

async function database(t: ExecutionContext, isPipelined: boolean): Promise<{ db: Db; other: Db }> {
  const { databaseUrl, db: other, drop } = await testDatabase()
  const db = connect(databaseUrl, { max: 1, isPipelined })
  t.teardown(async () => {
    await db.end()
    await drop()
  })
  await other.query('create table seen ()')
  return { db, other }
}

const warnings: string[] = []
process.on('warning', ({ message }) => warnings.push(message))
test.after.always('the client printed no deprecation warning', (t) => {
  t.deepEqual(warnings, [])
})

const countOn = async (connection: Connection): Promise<number> =>
  (await connection.query(COUNT)).rows[0].rows

for (const isPipelined of [false, true]) {
  const how = isPipelined ? 'pipelined' : 'plain'

  test(`${how}: all reads of a snapshot are of one state, the first of them, too`, async (t) => {
    const { db, other } = await database(t, isPipelined)
    const connection = await db.connect()
    const counts = await inSnapshot(connection, async () => {
      const before = await countOn(connection)
      await other.query('insert into seen default values')
      const { rows } = await connection.query(ISOLATION)
      return [before, await countOn(connection), rows[0].transaction_isolation]
    })
    t.deepEqual(counts, [0, 0, 'repeatable read'])
    t.is(await countOn(connection), 1, 'behind it')
    connection.release()
  })

  test(`${how}: two reads may be sent at once`, async (t) => {
    const { db } = await database(t, isPipelined)
    const connection = await db.connect()
    const both = () => Promise.all([countOn(connection), countOn(connection)])
    t.deepEqual(await inSnapshot(connection, both), [0, 0])
    connection.release()
  })

  test(`${how}: the next user of the connection is in no transaction`, async (t) => {
    const { db } = await database(t, isPipelined)
    const connection = await db.connect()
    await inSnapshot(connection, () => connection.query('select'))
    connection.release()
    const next = await db.connect()
    const { rows } = await next.query(ISOLATION)
    t.is(rows[0].transaction_isolation, 'read committed')
    await next.query('insert into seen default values')
    t.is(await countOn(next), 1)
    next.release()
  })

  test(`${how}: reports a failure in a snapshot, and leaves no transaction`, async (t) => {
    const { db } = await database(t, isPipelined)
    const connection = await db.connect()
    const failing = inSnapshot(connection, async () => {
      await connection.query(COUNT)
      await connection.query('select 1 / 0')
    })
    t.is(((await t.throwsAsync(failing, { any: true })) as { code?: string }).code, '22012')
    const writing = inSnapshot(connection, () =>
      connection.query('insert into seen default values'),
    )
    t.is(((await t.throwsAsync(writing, { any: true })) as { code?: string }).code, '25006')
    await connection.query('insert into seen default values')
    t.is(await countOn(connection), 1)
    connection.release()
  })
}
