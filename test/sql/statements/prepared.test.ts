/** Each statement of sql/queries, every variant of the templates included, against the schema of a migrated database. */
import test from 'ava'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { loadStatements } from '../../../sql/statements/named.ts'
import { testDatabase } from '../../support/servers/database.ts'

/** Statements that PREPARE accepts; others (BEGIN, LISTEN, FETCH, CREATE) have no plan. */
const PLANNED = /^(select|with|insert|update|delete|merge)\b/
/** Temporary tables that other statements read, in an order in which they can be created. */
const STAGES: [path: string, parameters: readonly number[]][] = [
  ['ledger/create_position_stage', []],
  ['ledger/create_hour_stage', []],
  ['ranking/create_stage', []],
  ['ranking/create_trending_stage', []],
  ['ranking/create_mover_stage', []],
  ['leaderboard/create_judged_hours', [0, 0]],
  ['leaderboard/create_figures', [0, 0]],
]

const PATHS = [...loadStatements().statements.keys()]

type Prepared = { name: string; parameters: number }

/** Statements whose result has the columns of a table, whatever these are, would fail on sessions that prepared them. */
async function refusedAfterWidening(connection: Connection): Promise<string[]> {
  const tables = await connection.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relpersistence <> 't'`,
  )
  for (const { name } of tables.rows) {
    await connection.query(
      `alter table "${name}" add column added_later integer not null default 7`,
    )
  }
  const { rows } = await connection.query<Prepared>(
    `select name, coalesce(cardinality(parameter_types), 0) as parameters
     from pg_prepared_statements where name like 'statement_%'`,
  )
  await connection.query('set local plan_cache_mode = force_generic_plan')
  const refused: string[] = []
  for (const { name, parameters } of rows) {
    const nulls = parameters === 0 ? '' : `(${new Array(parameters).fill('null').join(', ')})`
    await connection.query('savepoint before')
    await connection.query(`explain execute ${name}${nulls}`).catch((error: Error) => {
      refused.push(`${name}: ${error.message}`)
      return connection.query('rollback to before')
    })
  }
  return refused
}

test('every statement and every variant of a template can be planned, also when tables have more columns', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const connection = await db.connect()
  t.teardown(() => connection.release())
  await connection.query('begin')
  for (const [path, parameters] of STAGES) await query(path)(connection, parameters)
  const refused: string[] = []
  let count = 0
  const names: string[] = []
  for (const path of PATHS) {
    const { text } = query(path)
    if (!PLANNED.test(text.replaceAll(/--.*\n/g, '').trimStart())) continue
    count += 1
    names.push(path)
    await connection.query('savepoint before')
    await connection.query(`prepare statement_${count} as ${text}`).catch((error: Error) => {
      refused.push(`${path}: ${error.message}`)
      return connection.query('rollback to before')
    })
  }
  t.deepEqual(refused, [])
  const later = await refusedAfterWidening(connection)
  await connection.query('rollback')
  t.true(count > 300)
  t.deepEqual(
    later.map((text) => text.replace(/^statement_(\d+)/, (_, number) => names[number - 1] ?? '')),
    [],
  )
})
