// Rows as the connection pool returns them, from named statements that are executed again, plain and pipelined.

import test, { type ExecutionContext } from 'ava'
import type { QueryConfig } from 'pg'
import { type Connection, connect, type Db } from '../../sql/db.ts'
import { testDatabase } from '../support/servers/database.ts'

const KINDS = {
  name: 'test.kinds',
  text: `select $1::int8 as "it's", $2::text as text, $3::int4[] as list, $4::jsonb as json,
    $5::timestamptz as at, $6::float8 as near, $7::bytea as bytes, $8::boolean as flag`,
}
const FULL = [
  2n ** 62n,
  'ä"\\',
  [1, 2],
  { a: [null] },
  new Date(5),
  0.1,
  Buffer.from([0, 255]),
  true,
]
const FULL_ROW = {
  "it's": 2n ** 62n,
  text: 'ä"\\',
  list: [1, 2],
  json: { a: [null] },
  at: new Date(5),
  near: 0.1,
  bytes: Buffer.from([0, 255]),
  flag: true,
}
const EMPTY_ROW = Object.fromEntries(Object.keys(FULL_ROW).map((name) => [name, null]))

const execute = async (db: Db | Connection, statement: QueryConfig): Promise<unknown[]> =>
  (await db.query(statement)).rows

async function database(t: ExecutionContext, isPipelined = false) {
  const { databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const db: Db = connect(databaseUrl, { max: 1, isPipelined })
  t.teardown(() => db.end())
  return db
}

for (const isPipelined of [false, true]) {
  const how = isPipelined ? 'pipelined' : 'plain'
  test(`returns the same rows from every execution, on a ${how} connection`, async (t) => {
    const db = await database(t, isPipelined)
    const connection = await db.connect()
    for (let times = 0; times < 3; times++) {
      t.deepEqual(await execute(connection, { ...KINDS, values: FULL }), [FULL_ROW])
      t.deepEqual(await execute(connection, { ...KINDS, values: FULL.map(() => null) }), [
        EMPTY_ROW,
      ])
    }
    connection.release()
    t.deepEqual(await execute(db, { ...KINDS, values: FULL }), [FULL_ROW])
  })

  test(`each execution returns its rows and error, on a ${how} connection`, async (t) => {
    const db = await database(t, isPipelined)
    const connection = await db.connect()
    const inverse = (of: number) =>
      execute(connection, {
        name: 'test.inverse',
        text: 'select 6 / $1::int4 as a, generate_series(1, $1::int4)::int4 as b',
        values: [of],
      })
    const requested: Promise<unknown>[] = []
    for (const divisor of [1, 0, 2, 0, 3]) {
      requested.push(inverse(divisor))
      if (!isPipelined) await requested.at(-1)?.catch(() => {})
    }
    const ended = await Promise.allSettled(requested)
    t.deepEqual(
      ended.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code)),
      [
        [{ a: 6, b: 1 }],
        '22012',
        [
          { a: 3, b: 1 },
          { a: 3, b: 2 },
        ],
        '22012',
        [
          { a: 2, b: 1 },
          { a: 2, b: 2 },
          { a: 2, b: 3 },
        ],
      ],
    )
    const [failure] = (await Promise.allSettled([inverse(0)])) as PromiseRejectedResult[]
    t.regex(failure?.reason.stack, /rows\.test\.ts/, 'the stack names the caller')
    t.deepEqual(
      await inverse(6),
      Array.from({ length: 6 }, (_, at) => ({ a: 1, b: at + 1 })),
    )
    connection.release()
  })
}

test('refuses a value that cannot be sent and retains the connection', async (t) => {
  const db = await database(t)
  const unspeakable = { toPostgres: () => assertNever() }
  const wanted = { name: 'test.text', text: 'select $1::text as text' }
  for (let times = 0; times < 2; times++) {
    t.deepEqual(await execute(db, { ...wanted, values: ['a'] }), [{ text: 'a' }])
    await t.throwsAsync(execute(db, { ...wanted, values: [unspeakable] }), {
      message: 'unspeakable',
    })
  }
  t.deepEqual(await execute(db, { ...wanted, values: ['b'] }), [{ text: 'b' }])
})

test('refuses another statement under the name of one, and retains the connection', async (t) => {
  const db = await database(t)
  const one = { name: 'test.one', text: 'select 1 as a' }
  for (let times = 0; times < 2; times++) t.deepEqual(await execute(db, one), [{ a: 1 }])
  for (let times = 0; times < 2; times++) {
    await t.throwsAsync(execute(db, { ...one, text: 'select 2 as a' }), { message: /unique/ })
    t.deepEqual(await execute(db, one), [{ a: 1 }])
  }
})

function assertNever(): never {
  throw new Error('unspeakable')
}

test('returns no rows from an insert, and the error of PostgreSQL where columns changed', async (t) => {
  const db = await database(t)
  await db.query('create table changing (a int4)')
  const insert = { name: 'test.insert', text: 'insert into changing values ($1)' }
  for (const a of [1, 2, 3]) t.deepEqual(await execute(db, { ...insert, values: [a] }), [])
  const list = { name: 'test.list', text: 'table changing' }
  for (let times = 0; times < 2; times++) {
    t.deepEqual(await execute(db, list), [{ a: 1 }, { a: 2 }, { a: 3 }])
  }
  await db.query('alter table changing add column b int4')
  await t.throwsAsync(execute(db, list), { code: '0A000' })
})

test('reads int8 and int4[] exactly, with nulls and bounds', async (t) => {
  const db = await database(t)
  const values = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, 2 ** 53 - 1, -7, null]
  const text =
    'select bound from unnest($1::int8[]) with ordinality as given (bound, at) order by at'
  const { rows } = await db.query({ text, values: [values] })
  t.deepEqual(
    rows,
    values.map((bound) => ({ bound })),
  )
  const lists = await db.query(
    "select '{1,-2}'::int4[] as plain, '{}'::int4[] as empty, '{1,null}'::int4[] as gaps, '[0:1]={3,4}'::int4[] as bounds",
  )
  t.deepEqual(lists.rows, [{ plain: [1, -2], empty: [], gaps: [1, null], bounds: [3, 4] }])
})
