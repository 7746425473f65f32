/** Room for locks: a statement over all chunks holds one of each and of its indexes until its transaction ends. */
import test from 'ava'
import { testDatabase } from '../support/servers/database.ts'

/** Of six hours, in a year; each with its four indexes. */
const CHUNKS = 1_460
const LOCKS = 5
/** The API's connections and charts that jobs fill. */
const READERS = 10 + 4

test('the lock table suffices for all readers over a year of chunks', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const { rows } = await db.query<{ name: string; value: number }>(
    `select name, setting::integer as value from pg_settings
     where name in ('max_connections', 'max_locks_per_transaction')`,
  )
  const settings = new Map(rows.map(({ name, value }) => [name, value]))
  const room = settings.get('max_connections')! * settings.get('max_locks_per_transaction')!
  t.true(room >= READERS * CHUNKS * LOCKS, `${room} locks`)
})
