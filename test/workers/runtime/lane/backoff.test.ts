/** Which errors of the database end a worker, and which its lanes retry. */
import test from 'ava'
import { isPassing } from '../../../../workers/runtime/lane/backoff.ts'
import { testDatabase } from '../../../support/servers/database.ts'

test('a statement after one that failed in its transaction ends no worker', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const connection = await db.connect()
  try {
    await connection.query('begin')
    const fault = await t.throwsAsync(connection.query('select 1 / 0'))
    const after = await t.throwsAsync(connection.query('select 1'))
    t.false(isPassing(fault))
    t.like(after, { code: '25P02' })
    t.true(isPassing(after))
  } finally {
    connection.release(true)
  }
})
