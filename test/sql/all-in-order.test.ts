/** The error of a transaction whose statements were pipelined. */
import test from 'ava'
import { allInOrder, type Connection } from '../../sql/db.ts'
import { testDatabase } from '../support/servers/database.ts'

const DIVISION_BY_ZERO = '22012'

/** Sends its statement after the answer of another, and so after all that the caller sends at once. */
async function sentLater(connection: Connection, statement: string): Promise<void> {
  await connection.query('select 1')
  await connection.query(statement)
}

const CASES: readonly [name: string, send: (connection: Connection) => Promise<unknown>[]][] = [
  ['the first of them', (db) => [db.query('select 1 / 0'), db.query('select 1')]],
  [
    'one after a part that sends later',
    (db) => [sentLater(db, 'select 2'), db.query('select 1 / 0')],
  ],
  [
    'one within a part that has parts',
    (db) => [
      sentLater(db, 'select 2'),
      allInOrder([sentLater(db, 'select 3'), db.query('select 1 / 0')]),
    ],
  ],
  ['one that a part sends later', (db) => [sentLater(db, 'select 1 / 0'), db.query('select 1')]],
  ['the former of two', (db) => [db.query('select 1 / 0'), sentLater(db, 'select * from nothing')]],
]

for (const [name, send] of CASES) {
  test(`rejects with the failure that aborted the transaction: ${name}`, async (t) => {
    const { db, drop } = await testDatabase()
    t.teardown(drop)
    const connection = await db.connect()
    try {
      await connection.query('begin')
      await t.throwsAsync(allInOrder(send(connection)), { code: DIVISION_BY_ZERO })
    } finally {
      connection.release(true)
    }
  })
}

test('rejects with the refusal where the transaction was aborted before', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const connection = await db.connect()
  try {
    await connection.query('begin')
    await t.throwsAsync(connection.query('select 1 / 0'))
    await t.throwsAsync(allInOrder([connection.query('select 1')]), { code: '25P02' })
  } finally {
    connection.release(true)
  }
})
