/**
 * Attempts to pass the limits of a query, against each of the three walls by itself: the judgement of the parsed statement, DuckDB
 * with its settings locked and no judgement, and the limits of the operating system on the program.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import test, { type ExecutionContext } from 'ava'
import { judge, openDuck } from '../../../lake/jail/duck.ts'
import type { QueryLimits, Refusal } from '../../../lake/jail/limits.ts'
import { type QueryAnswer, QueryRefused, runQuery } from '../../../lake/jail/run.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

const LIMITS: QueryLimits = { rows: 1_000, bytes: 1_000_000, ms: 60_000 }
const ROWS = 5_000

type Lake = { folder: string; path: string; secret: string }

/** A file of swaps, and one next to it that no query may read. */
async function lakeOf(t: ExecutionContext): Promise<Lake> {
  const folder = await temporaryFolder(t)
  const [path, secret] = [join(folder, "a day's.parquet"), join(folder, 'secret.csv')]
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(
    `copy (
      select range as slot, range % 10 as dex, 9223372036854775807 - range as sol_amount, 'sig' || range as signature
      from range(${ROWS})
    ) to '${path.replaceAll("'", "''")}' (format parquet)`,
  )
  connection.closeSync()
  instance.closeSync()
  await writeFile(secret, 'word\nsesame\n')
  return { folder, path, secret }
}

/** Attempts that all fail. `FILE` is the secret file, `NEW` a path to write, `OWN` the file of swaps. */
const REFUSED: readonly string[] = [
  // Files that are read.
  "select * from read_text('FILE')",
  "select * from read_blob('FILE')",
  "select * from read_csv('FILE')",
  "select * from read_csv_auto('FILE')",
  "select * from read_json('FILE')",
  "select * from read_json_objects('FILE')",
  "select * from read_ndjson('FILE')",
  "select * from read_parquet('FILE')",
  "select * from read_parquet('OWN')",
  "select * from parquet_scan('OWN')",
  "select * from parquet_metadata('OWN')",
  "select * from parquet_schema('OWN')",
  "select * from parquet_kv_metadata('OWN')",
  "select * from sniff_csv('FILE')",
  "select * from glob('/*')",
  "select * from 'FILE'",
  "select * from 'OWN'",
  'select * from "FILE"',
  "select * from swaps where signature in (select word from read_csv('FILE'))",
  "select (select content from read_text('FILE'))",
  "with x as (select * from read_text('FILE')) select * from x",
  "with swaps as (select * from 'FILE') select * from swaps",
  "select * from swaps union all select content, 1, 1, '' from read_text('FILE')",
  "select * from query('select * from read_text(''FILE'')')",
  "select * from query_table('FILE')",
  "select * from (from 'FILE')",
  "from swaps, lateral (from read_text('FILE'))",
  "select * from read_text(['FILE'])",
  "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
  // Files that are written.
  "copy swaps to 'NEW'",
  "copy (select 1) to 'NEW' (format parquet)",
  "export database 'NEW'",
  "attach 'NEW' as other",
  "attach 'FILE' as other (read_only)",
  'create table copied as select * from swaps',
  'create view other as select 1',
  'create macro f() as 1',
  'drop view swaps',
  'insert into swaps select * from swaps',
  "update swaps set signature = ''",
  'delete from swaps',
  'create temp table t (a int)',
  'checkpoint',
  'vacuum',
  // Settings and extensions.
  "set memory_limit = '64GB'",
  'reset memory_limit',
  'set enable_external_access = true',
  "set allowed_paths = ['FILE']",
  "set temp_directory = 'NEW'",
  'set lock_configuration = false',
  'pragma enable_profiling',
  'pragma database_list',
  'install httpfs',
  'load httpfs',
  "load 'FILE'",
  'call enable_logging()',
  'use memory',
  "select current_setting('memory_limit')",
  "select getenv('HOME')",
  'select * from duckdb_settings()',
  'select * from duckdb_secrets()',
  'select * from duckdb_extensions()',
  'select * from duckdb_views()',
  'select * from information_schema.tables',
  'select * from pg_catalog.pg_class',
  'select * from sqlite_master',
  'show tables',
  'describe swaps',
  "select write_log('x')",
  'select sleep_ms(1)',
  'select pg_sleep(0.01)',
  // Statements.
  '',
  ';',
  '-- nothing',
  'select 1; select 2',
  "select 1; copy swaps to 'NEW'",
  'prepare p as select 1',
  'explain select * from swaps',
  'explain analyze select * from swaps',
  'begin',
  'select $1',
  'select ?',
]

/** Attempts that print what ran to standard output, which no program of a query has. */
const PRINTS = /profiling|logging|explain/

const filled = (sql: string, { folder, path, secret }: Lake): string =>
  sql
    .replaceAll('FILE', secret)
    .replaceAll('NEW', join(folder, 'new'))
    .replaceAll('OWN', path.replaceAll("'", "''"))

test('the judgement refuses each statement that reads files, writes, sets or is no single SELECT', async (t) => {
  const lake = await lakeOf(t)
  const connection = await openDuck([lake.path])
  t.true(REFUSED.length >= 60)
  for (const attempt of REFUSED) {
    const sql = filled(attempt, lake)
    const error = await t.throwsAsync(judge(connection, sql), undefined, `was not refused: ${sql}`)
    t.is(error.constructor.name, 'Refused', `${sql}: ${error.message}`)
  }
})

test('without the judgement the locked settings still protect files and settings', async (t) => {
  const lake = await lakeOf(t)
  const before = (await readdir(lake.folder)).sort()
  const found: string[] = []
  for (const attempt of REFUSED.filter((sql) => !PRINTS.test(sql))) {
    const connection = await openDuck([lake.path])
    const text = await printed(connection, filled(attempt, lake)).catch(() => '')
    if (text.includes('sesame')) found.push(attempt)
    // Whatever ran, the setting is as it was.
    const access = await printed(connection, "select current_setting('enable_external_access')")
    t.is(access, '[["false"]]', attempt)
  }
  t.deepEqual(found, [], 'the secret was read')
  t.deepEqual((await readdir(lake.folder)).sort(), before, 'a file was written')
  t.is(await readFile(lake.secret, 'utf8'), 'word\nsesame\n')
})

async function printed(connection: DuckDBConnection, sql: string): Promise<string> {
  const reader = await connection.runAndReadAll(sql)
  return JSON.stringify(reader.getRows(), (_, value) =>
    value === null ? null : typeof value === 'object' ? value : String(value),
  )
}

async function query(
  lake: Lake,
  sql: string,
  limits: Partial<QueryLimits> = {},
): Promise<QueryAnswer> {
  const signal = new AbortController().signal
  return await runQuery({ sql, paths: [lake.path], limits: { ...LIMITS, ...limits }, signal })
}

async function refusalOf(
  answer: Promise<QueryAnswer>,
): Promise<{ refusal: Refusal; message: string }> {
  try {
    const { rows } = await answer
    throw new Error(`it was answered with ${rows.length} rows`)
  } catch (error) {
    if (!(error instanceof QueryRefused)) throw error
    return { refusal: error.refusal, message: error.message }
  }
}

test('a query is answered exactly, and what cuts an answer is stated', async (t) => {
  const lake = await lakeOf(t)
  const exact = await query(
    lake,
    "select sum(sol_amount), max(sol_amount), 0.5, 1/3::double, null, true, [1, 2], {'a': 'x'}, 'NaN'::double, date '2026-11-01', 12345678901234567890.123456789::decimal(38,9), 'two' || chr(10) || 'lines ' || chr(8232) from swaps",
  )
  const sum = (2n ** 63n - 1n) * BigInt(ROWS) - BigInt((ROWS * (ROWS - 1)) / 2)
  t.deepEqual(exact.rows, [
    `[${sum},9223372036854775807,0.5,0.3333333333333333,null,true,[1,2],{"a":"x"},"NaN","2026-11-01","12345678901234567890.123456789",${JSON.stringify('two\nlines \u2028')}]`,
  ])
  t.is(exact.truncated, null)
  t.is(exact.columns[0]?.type, 'HUGEINT')
  const byRows = await query(lake, 'select slot from swaps', { rows: 7 })
  t.deepEqual([byRows.rows.length, byRows.truncated], [7, 'rows'])
  const whole = await query(lake, 'select slot from swaps limit 7', { rows: 7 })
  t.deepEqual([whole.rows.length, whole.truncated], [7, null])
  const byBytes = await query(lake, "select repeat('x', 1000) from swaps", { bytes: 5_000 })
  t.deepEqual([byBytes.rows.length, byBytes.truncated], [4, 'bytes'])
})

test('a query that takes too much memory or time is ended with an error of its own', async (t) => {
  const lake = await lakeOf(t)
  const memory = [
    "select length(repeat('x', 900000000) || repeat('y', 900000000))",
    'select * from swaps a, swaps b, swaps c order by a.slot + b.slot + c.slot',
    "select string_agg(repeat('x', 100000), '') from range(100000)",
    'select list(range) from range(1000000000)',
  ]
  for (const sql of memory) t.is((await refusalOf(query(lake, sql))).refusal, 'memory', sql)
  const endless = 'select count(*) from swaps a, swaps b, swaps c, swaps d'
  const recursive =
    'with recursive r(n) as (select 1 union all select n + 1 from r) select sum(n) from r'
  for (const sql of [endless, recursive]) {
    const { refusal, message } = await refusalOf(query(lake, sql, { ms: 1_500 }))
    t.is(refusal, 'time', message)
    t.is(message, 'the query took longer than 1.5 s')
  }
})

test('wrong SQL is an error with the words of DuckDB and without a path', async (t) => {
  const lake = await lakeOf(t)
  const { refusal, message } = await refusalOf(query(lake, 'select no_such_column from swaps'))
  t.is(refusal, 'invalid')
  t.true(message.includes('no_such_column'), message)
  t.false(message.includes(lake.folder), message)
  t.is((await refusalOf(query(lake, 'selec 1'))).refusal, 'invalid')
  await writeFile(lake.path, 'no parquet')
  const damaged = await refusalOf(query(lake, 'select count(*) from swaps'))
  t.deepEqual(damaged, { refusal: 'files', message: "a day's.parquet cannot be read" })
})

test('a caller that gives up ends the program', async (t) => {
  const lake = await lakeOf(t)
  const caller = new AbortController()
  const sql = 'select count(*) from swaps a, swaps b, swaps c, swaps d'
  const pending = runQuery({ sql, paths: [lake.path], limits: LIMITS, signal: caller.signal })
  caller.abort(new Error('gone'))
  await t.throwsAsync(pending, { message: 'gone' })
})
