/** Plans that are kept for all values: while chunks are few, never for a list, and right when a chunk comes. */
import test from 'ava'
import type { Connection } from '../../sql/db.ts'
import { choosePlans } from '../../sql/plans.ts'
import { withNewPlan } from '../../sql/query.ts'
import { testDatabase } from '../support/database.ts'

const DAY_MS = 86_400_000
const FIRST_DAY = 20_000
/** Within a quarter of an hour, so that it is read by the minute. */
const INTO_DAY_MS = 420_000
const MODE = 'show plan_cache_mode'

const modeOf = async (connection: Connection): Promise<string> =>
  (await connection.query(MODE)).rows[0].plan_cache_mode

/** A candle of a day of its own, which is a chunk of its own. */
const INSERT_DAYS = `insert into candle_1m
    (pool_id, trade_count, bucket_ms, first_slot, last_slot, volume_lamports)
  select 1, 1, day * ${DAY_MS}::bigint + ${INTO_DAY_MS}, 1, 1, 5 from generate_series($1::bigint, $2::bigint) as day`

test('a connection keeps plans while there are few chunks, and makes them for a list', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const connection = await db.connect()
  t.teardown(() => connection.release())
  t.is(await modeOf(connection), 'auto')
  t.is(await withNewPlan(connection, () => modeOf(connection)), 'auto')
  await choosePlans(connection)
  t.is(await modeOf(connection), 'force_generic_plan')
  t.is(await withNewPlan(connection, () => modeOf(connection)), 'force_custom_plan')
  t.is(await modeOf(connection), 'force_generic_plan')
  const fails = () => connection.query('select 1 / 0')
  await t.throwsAsync(withNewPlan(connection, fails), { code: '22012' })
  t.is(await modeOf(connection), 'force_generic_plan')
  await connection.query('begin')
  await t.throwsAsync(withNewPlan(connection, fails), { code: '22012' })
  await connection.query('rollback')
  t.is(await modeOf(connection), 'force_generic_plan')
})

test('over many chunks plans are made for the values of each call', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query(INSERT_DAYS, [FIRST_DAY, FIRST_DAY + 100])
  const connection = await db.connect()
  t.teardown(() => connection.release())
  await choosePlans(connection)
  t.is(await modeOf(connection), 'force_custom_plan')
  t.is(await withNewPlan(connection, () => modeOf(connection)), 'force_custom_plan')
})

test('a plan that was kept finds what stands in a chunk that came later', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query(`insert into token (address) values ('mint')`)
  await db.query(`insert into pool (pair_address, token_id, newest_ms) values ('pair', 1, $1)`, [
    (FIRST_DAY + 1) * DAY_MS + INTO_DAY_MS,
  ])
  const newestAt = (day: number) =>
    db.query(
      `insert into slot_span values (0, 1000000000, 0, 0, $1)
       on conflict (width, bucket, lane) do update set last_ms = excluded.last_ms`,
      [day * DAY_MS + INTO_DAY_MS],
    )
  await newestAt(FIRST_DAY)
  await db.query(INSERT_DAYS, [FIRST_DAY, FIRST_DAY])
  const connection = await db.connect()
  t.teardown(() => connection.release())
  await choosePlans(connection)
  const read = async (): Promise<unknown> => {
    const text = 'select volume_lamports::integer as volume from token_windows($1, $2)'
    const { rows } = await connection.query({ name: 'windows', text, values: [[1], [5]] })
    return rows
  }
  t.deepEqual(await read(), [{ volume: 5 }])
  t.deepEqual(await read(), [{ volume: 5 }])
  await newestAt(FIRST_DAY + 1)
  t.deepEqual(await read(), [])
  await db.query(INSERT_DAYS, [FIRST_DAY + 1, FIRST_DAY + 1])
  t.deepEqual(await read(), [{ volume: 5 }])
})
