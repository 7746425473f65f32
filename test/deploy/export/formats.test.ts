/**
 * The three formats of an export hold the same values: read back by DuckDB, by JSON lines and by a CSV parser, with the
 * extremes of int64, sums beyond it, nulls, quotes and lists.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parse as parseCsv } from 'csv-parse/sync'
import Type from 'typebox'
import { int64, nullable, unbounded } from '../../../api/routing/schema.ts'
import { columnsOf, type Row } from '../../../deploy/export/columns.ts'
import { FORMATS, type Format, WRITERS } from '../../../deploy/export/formats/format.ts'
import { newFile } from '../../../deploy/export/new-file.ts'
import { openDuck } from '../../support/deploy/duck.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

const described = { description: 'a value' }
const COLUMNS = columnsOf({
  exact: int64(described),
  exact_or_null: nullable(int64(described)),
  sum: unbounded(described),
  sum_or_null: nullable(unbounded(described)),
  small: Type.Integer({ format: 'int32', ...described }),
  price: nullable(Type.Number(described)),
  is_true: Type.Boolean(described),
  text: Type.String(described),
  tags: Type.Array(Type.String(), described),
})

const INT64_MAX = 2n ** 63n - 1n
const ROWS: Row[] = [
  {
    ...{ exact: INT64_MAX, exact_or_null: -(2n ** 63n), sum: 10n ** 38n - 1n },
    ...{ sum_or_null: -(10n ** 38n) + 1n, small: 2_147_483_647, price: 5e-324 },
    ...{ is_true: true, text: 'a "quoted", text', tags: ['bot', 'whale'] },
  },
  {
    ...{ exact: 9_007_199_254_740_993n, exact_or_null: null, sum: 0, sum_or_null: null },
    ...{ small: -1, price: null, is_true: false, text: '', tags: [] },
  },
  {
    ...{ exact: -1, exact_or_null: 0, sum: 18_446_744_073_709_551_616n, sum_or_null: -256n },
    ...{ small: 0, price: 0.1, is_true: true, text: 'line\nbreak', tags: ['one'] },
  },
]

async function write(
  folder: string,
  format: Format,
  batches: readonly (readonly Row[])[],
  name: string = format,
) {
  const path = join(folder, `${name}.${format}`)
  const file = await newFile(path)
  const writer = WRITERS[format](file, COLUMNS)
  for (const rows of batches) await writer.write(rows)
  await writer.finish()
  return { path, ...(await file.finish()) }
}

/** With every integer of 64 bits or more as a bigint. */
const widened = (row: Row) =>
  Object.fromEntries(
    COLUMNS.map(({ name, kind }) => {
      const value = row[name] ?? null
      const isWide = (kind === 'int64' || kind === 'sum') && value !== null
      return [name, isWide ? BigInt(value as number | bigint) : value]
    }),
  )

test('DuckDB reads int64, sums of 38 digits, nulls and lists of a Parquet file exactly', async (t) => {
  const { path } = await write(await temporaryFolder(t), 'parquet', [ROWS])
  const duck = await openDuck(t)
  t.deepEqual(await duck(`select * from '${path}'`), ROWS.map(widened))
  // By the statistics of the row group.
  const below = `select count(*) as n from '${path}' where sum_or_null < -256 or exact < 0`
  t.deepEqual(await duck(below), [{ n: 2n }])
  t.deepEqual(await duck(`select exact from '${path}' where sum > 18446744073709551616`), [
    { exact: INT64_MAX },
  ])
  const types = await duck(
    `select column_name, column_type from (describe select * from '${path}')`,
  )
  t.deepEqual(Object.fromEntries(types.map((row) => [row.column_name, row.column_type])), {
    ...{ exact: 'BIGINT', exact_or_null: 'BIGINT', sum: 'DECIMAL(38,0)' },
    ...{ sum_or_null: 'DECIMAL(38,0)', small: 'INTEGER', price: 'DOUBLE' },
    ...{ is_true: 'BOOLEAN', text: 'VARCHAR', tags: 'VARCHAR[]' },
  })
})

test('NDJSON and CSV write every integer digit for digit', async (t) => {
  const folder = await temporaryFolder(t)
  const lines = (await readFile((await write(folder, 'ndjson', [ROWS])).path, 'utf8')).split('\n')
  t.is(
    lines[0],
    '{"exact":9223372036854775807,"exact_or_null":-9223372036854775808,' +
      '"sum":99999999999999999999999999999999999999,"sum_or_null":-99999999999999999999999999999999999999,' +
      '"small":2147483647,"price":5e-324,"is_true":true,"text":"a \\"quoted\\", text","tags":["bot","whale"]}',
  )
  t.is(lines.length, ROWS.length + 1)
  const csv = await readFile((await write(folder, 'csv', [ROWS])).path, 'utf8')
  const [header, ...cells] = parseCsv(csv) as string[][]
  t.deepEqual(
    header,
    COLUMNS.map(({ name }) => name),
  )
  t.deepEqual(cells[1], ['9007199254740993', '', '0', '', '-1', '', 'false', '', '[]'])
  t.deepEqual(cells[2]?.slice(2, 4), ['18446744073709551616', '-256'])
  t.is(cells[0]?.[8], '["bot","whale"]')
})

/** More rows than a row group has. */
const MANY: Row[] = Array.from({ length: 120_001 }, (_, n) => ({
  ...ROWS[n % ROWS.length],
  exact: BigInt(n) ** 3n,
}))

test('the bytes of a file do not depend on its batches, and its hash is theirs', async (t) => {
  const folder = await temporaryFolder(t)
  const odd = [MANY.slice(0, 7), MANY.slice(7, 99_999), MANY.slice(99_999)]
  for (const format of FORMATS) {
    const one = await write(folder, format, [MANY], 'one')
    const other = await write(folder, format, odd, 'other')
    t.is(one.sha256, other.sha256, format)
    const bytes = await readFile(one.path)
    t.is(one.bytes, bytes.length, format)
    t.is(one.sha256, createHash('sha256').update(bytes).digest('hex'), format)
  }
  const duck = await openDuck(t)
  const [sums] = await duck(
    `select count(*) as n, sum(exact::hugeint) as s from '${join(folder, 'one.parquet')}'`,
  )
  // The sum of the first n cubes is the square of the n-th triangular number.
  t.deepEqual(sums, { n: 120_001n, s: ((120_000n * 120_001n) / 2n) ** 2n })
})

test('a file without rows has its columns in every format that names them', async (t) => {
  const folder = await temporaryFolder(t)
  const { path } = await write(folder, 'parquet', [])
  const duck = await openDuck(t)
  t.deepEqual(await duck(`select count(*) as n from '${path}'`), [{ n: 0n }])
  t.is((await duck(`describe select * from '${path}'`)).length, COLUMNS.length)
  const csv = await readFile((await write(folder, 'csv', [])).path, 'utf8')
  t.is(csv, `${COLUMNS.map(({ name }) => name).join(',')}\r\n`)
  t.is(await readFile((await write(folder, 'ndjson', [])).path, 'utf8'), '')
})

async function namesIn(t: ExecutionContext, end: 'finish' | 'discard'): Promise<string[]> {
  const folder = await temporaryFolder(t)
  const file = await newFile(join(folder, 'rows.csv'))
  await file.write(Buffer.from('half'))
  t.deepEqual(await readdir(folder), ['rows.csv.new'])
  await file[end]()
  return await readdir(folder)
}

test('a file has its name only once it is whole, and leaves nothing when it is discarded', async (t) => {
  t.deepEqual(await namesIn(t, 'finish'), ['rows.csv'])
  t.deepEqual(await namesIn(t, 'discard'), [])
})

test('refuses a field that has no column', (t) => {
  const nested = { place: Type.Object({ slot: Type.Integer() }) }
  t.throws(() => columnsOf(nested), { instanceOf: TypeError, message: /"place" has no column/ })
})
