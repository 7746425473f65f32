/** Room for locks: a statement over all chunks holds one of each and of its indexes until its transaction ends. */
import test from 'ava'
import { CONNECTIONS_MAX } from '../../deploy/local/servers/postgres.ts'
import { testDatabase } from '../support/servers/database.ts'

/** Chunks of six hours in a year; each with its four indexes. */
const CHUNKS = 1_460
const LOCKS = 5
/** The API's connections and charts that jobs fill. */
const READERS = 10 + 4

test('the lock table suffices for all readers over a year of chunks', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const { rows } = await db.query<{ locks: number }>(
    `select current_setting('max_locks_per_transaction')::integer as locks`,
  )
  // The tests' own server has more connections, and so more room, than an installation.
  const room = CONNECTIONS_MAX * rows[0]!.locks
  t.true(room >= READERS * CHUNKS * LOCKS, `${room} locks`)
})
