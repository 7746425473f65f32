/** Rows as one parameter are, to PostgreSQL, the rows that a bulk COPY of the same brings. */
import test from 'ava'
import fc from 'fast-check'
import type { Db } from '../../sql/db.ts'
import { CopyBuffer, copyIn } from '../../workers/binary-copy.ts'
import { HOUR_COLUMNS } from '../../workers/ledger/hour-row.ts'
import { POSITION_COLUMNS, writePositionRow } from '../../workers/ledger/position-row.ts'
import { rowTypesOf } from '../../workers/ledger/write.ts'
import { COLUMN, rowArray } from '../../workers/row-array.ts'
import { foldAll, walletHistories } from '../streams/ledger/histories.ts'
import { testDatabase } from '../support/database.ts'

const EACH_TYPE = [
  ...[COLUMN.bool, COLUMN.bytea, COLUMN.int8, COLUMN.int2, COLUMN.int4, COLUMN.text],
  ...[COLUMN.int4Array, COLUMN.numeric],
]
const CREATE_KIND = `create table kind (truth boolean, bytes bytea, wide bigint, small smallint,
  plain integer, word text, list integer[], sum numeric)`
/** `{5}` as PostgreSQL sends it. */
const LIST = Buffer.from('0000000100000000000000170000000100000001000000040000000500000000', 'hex')

test('each type arrives, at its ends and as null, in a buffer that grows', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query(CREATE_KIND)
  const { rows: found } = await db.query("select 'kind'::regtype::oid::bigint as oid")
  const rows = rowArray(0, found[0].oid, EACH_TYPE)
  for (const sign of [1n, -1n]) {
    rows.row(8, 400)
    rows.bool(sign > 0n)
    rows.raw(Buffer.alloc(sign > 0n ? 200 : 0, 255))
    rows.int8(sign * (2n ** 63n - 1n))
    rows.int2(Number(sign) * 32_767)
    rows.int4(Number(sign) * 2_147_483_647)
    rows.ascii('base58')
    rows.raw(LIST.subarray(0, 28))
    rows.numeric(sign * 10n ** 40n)
  }
  rows.row(8, 400)
  for (const _ of EACH_TYPE) rows.null()
  const { rows: arrived } = await db.query(
    `select truth, encode(bytes, 'hex') as bytes, wide, small, plain, word, list, sum
     from unnest($1::kind[])`,
    [rows.finish()],
  )
  const [least, most] = [-(2n ** 63n - 1n), 2n ** 63n - 1n]
  const both = { small: 32_767, plain: 2_147_483_647, word: 'base58', list: [5] }
  t.deepEqual(arrived, [
    { ...both, truth: true, bytes: 'ff'.repeat(200), wide: most, sum: `1${'0'.repeat(40)}` },
    {
      ...{ ...both, small: -32_767, plain: -2_147_483_647 },
      ...{ truth: false, bytes: '', wide: least, sum: `-1${'0'.repeat(40)}` },
    },
    Object.fromEntries(Object.keys(arrived[0]!).map((name) => [name, null])),
  ])
})

test('positions of any history are the same as by COPY', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query('create table copied (like position)')
  const types = await rowTypesOf(db)
  const histories = fc.sample(walletHistories, { numRuns: 200, seed: 7 })
  const states = histories.filter((swaps) => swaps.length > 0).map((swaps) => foldAll(swaps))
  const rows = rowArray(0, types.position, POSITION_COLUMNS)
  const copy = new CopyBuffer(0)
  for (const [index, state] of states.entries()) {
    writePositionRow(rows, index, 1, state)
    writePositionRow(copy, index, 1, state)
  }
  const connection = await db.connect()
  try {
    await copyIn(connection, 'copy copied from stdin (format binary)', copy.finish())
  } finally {
    connection.release()
  }
  const { rows: counted } = await db.query<{ same: number; all: number }>(
    `select (select count(*) from copied) as all, (
       select count(*) from copied join unnest($1::"position"[]) as sent on sent::text = copied::text
     ) as same`,
    [rows.finish()],
  )
  t.true(states.length > 100)
  t.deepEqual(counted, [{ all: states.length, same: states.length }])
})

test('the columns that are written are those of the tables', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  t.deepEqual(await columnsOf(db, 'position'), POSITION_COLUMNS)
  t.deepEqual(await columnsOf(db, 'position_hour'), HOUR_COLUMNS)
})

async function columnsOf(db: Db, table: string): Promise<number[]> {
  const { rows } = await db.query<{ type: number }>(
    `select atttypid::bigint as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [`public."${table}"`],
  )
  return rows.map(({ type }) => type)
}

test('a row with a column too few or too many is refused before it is sent', (t) => {
  const rows = rowArray(100, 1, [COLUMN.int4, COLUMN.int4])
  t.throws(() => rows.row(3, 30), { instanceOf: RangeError })
  rows.row(2, 30)
  rows.int4(1)
  t.throws(() => rows.finish(), { instanceOf: RangeError })
})
