/** Statements that are executed again: their columns are not asked for anew, all else is as the first time. */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { connect, type Db } from '../../../sql/db.ts'
import { execute } from '../../../sql/driver/prepared-statement.ts'
import { testDatabase } from '../../support/servers/database.ts'

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

async function database(t: ExecutionContext, isPipelined = false) {
  const { databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const db: Db = connect(databaseUrl, { max: 1, isPipelined })
  t.teardown(() => db.end())
  return db
}

test('bytes are read in both of the forms that the server writes', async (t) => {
  const db = await database(t)
  const connection = await db.connect()
  const text =
    'select bytes from unnest($1::bytea[]) with ordinality as given (bytes, at) order by at'
  const given = ['', '\\x', 'x', '\\', '\0\xff', 'a'.repeat(300)].map((each) =>
    Buffer.from(each, 'latin1'),
  )
  for (const form of ['hex', 'escape']) {
    await connection.query(`set bytea_output = ${form}`)
    for (let times = 0; times < 2; times++) {
      const rows = await execute(connection, { name: 'test.bytes', text, values: [given] })
      t.deepEqual(
        rows,
        given.map((bytes) => ({ bytes })),
        form,
      )
    }
  }
  await connection.query('reset bytea_output')
  connection.release()
})

for (const isPipelined of [false, true]) {
  const how = isPipelined ? 'pipelined' : 'plain'
  test(`every execution brings the rows that the first would, on a ${how} connection`, async (t) => {
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

  test(`each execution gets its own rows and fault, on a ${how} connection`, async (t) => {
    const db = await database(t, isPipelined)
    const connection = await db.connect()
    const inverse = (of: number) =>
      execute(connection, {
        name: 'test.inverse',
        text: 'select 6 / $1::int4 as a, generate_series(1, $1::int4)::int4 as b',
        values: [of],
      })
    const asked: Promise<unknown>[] = []
    for (const divisor of [1, 0, 2, 0, 3]) {
      asked.push(inverse(divisor))
      if (!isPipelined) await asked.at(-1)?.catch(() => {})
    }
    const ended = await Promise.allSettled(asked)
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
    const [fault] = (await Promise.allSettled([inverse(0)])) as PromiseRejectedResult[]
    t.regex(fault?.reason.stack, /prepared-statement\.test\.ts/, 'a fault tells who asked')
    t.deepEqual(
      await inverse(6),
      Array.from({ length: 6 }, (_, at) => ({ a: 1, b: at + 1 })),
    )
    connection.release()
  })
}

test('a value that cannot be sent is refused, and the connection goes on', async (t) => {
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

test('a name stands for one statement: another under it is refused, and the connection goes on', async (t) => {
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

test('statements without rows, and columns that changed, are told as PostgreSQL does', async (t) => {
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

const short = fc.bigInt(-1_000_000n, 1_000_000n)
const anyRow = fc.tuple(
  fc.option(fc.oneof(short, fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n))),
  fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  fc.option(fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 })),
  fc.option(fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity, 5e-324))),
  fc.option(fc.float()),
  fc.option(fc.boolean()),
  fc.option(
    fc.tuple(fc.bigInt(-(10n ** 40n), 10n ** 40n), fc.nat(20)).map(([of, by]) => `${of}e-${by}`),
  ),
  fc.option(fc.string({ unit: 'binary', maxLength: 300 }).map((text) => text.replaceAll('\0', ''))),
  fc.option(fc.array(fc.integer(), { maxLength: 3 })),
  fc.option(fc.json().map((text) => text.replaceAll('\\u0000', ''))),
)
const COLUMNS = [
  'int8',
  'int4',
  'int2',
  'float8',
  'float4',
  'bool',
  'numeric',
  'text',
  'int4[]',
  'json',
]

test('whatever stands in a row, it is read as the client reads it', async (t) => {
  const db = await database(t)
  const lists = COLUMNS.map((_, index) => `$${index + 1}::text[]`).join()
  const columns = COLUMNS.map((type, index) => `c${index}::${type}`).join()
  const names = COLUMNS.map((_, index) => `c${index}`).join()
  const text = `select ${columns} from unnest(${lists}) as given (${names})`
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 40 }), async (rows) => {
      const values = COLUMNS.map((type, index) =>
        rows.map((row) => textOf(type, row[index] as unknown)),
      )
      const usual = await db.query({ text, values })
      t.deepEqual(await execute(db, { name: 'test.any', text, values }), usual.rows)
    }),
    { numRuns: 60 },
  )
})

function textOf(type: string, value: unknown): string | null {
  if (value === null) return null
  return type.endsWith('[]') ? `{${(value as number[]).join()}}` : String(value)
}
