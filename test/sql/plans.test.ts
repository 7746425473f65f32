/** Cached plans for all values: while chunks are few, never for a list, and right after a new chunk. */
import test, { type ExecutionContext } from 'ava'
import { type Connection, type Db, pipelinedBeside } from '../../sql/db.ts'
import { choosePlans } from '../../sql/plans.ts'
import { keepsAllPlans, query } from '../../sql/query.ts'
import { inSnapshot } from '../../sql/snapshot.ts'
import { testDatabase } from '../support/servers/database.ts'

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

const STORED = 'force_generic_plan'
const MADE = 'force_custom_plan'

const listWindows = query('token-stats/list_windows')
const listAudit = query('admin/list_audit')
const listAnew = query('admin/list_audit', { isPlannedAnew: true })
type Read = (connection: Connection) => Promise<unknown>
/** Statements over candles, by a function; over no hypertable; and one that is always planned for its values. */
const windows: Read = (connection) => listWindows(connection, [[1], [5]])
const keys: Read = (connection) => listAudit(connection, [1])
const anew: Read = (connection) => listAnew(connection, [1])

/** How the connection plans at each of these, one after the other. */
async function modesOf(connection: Connection, reads: readonly Read[]): Promise<string[]> {
  const modes: string[] = []
  for (const read of reads) {
    await read(connection)
    modes.push(await modeOf(connection))
  }
  return modes
}

/** Connections as the readers of the API have them. */
async function pipelined(t: ExecutionContext, db: Db): Promise<Connection> {
  const beside = pipelinedBeside(db)
  const connection = await beside.connect()
  t.teardown(async () => {
    connection.release()
    await beside.end()
  })
  return connection
}

test('a connection caches plans over few chunks, and plans lists for their values', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const connection = await pipelined(t, db)
  const readAll = [windows, keys, anew]
  t.deepEqual(await modesOf(connection, readAll), ['auto', 'auto', 'auto'])
  await choosePlans(connection)
  t.true(keepsAllPlans(connection))
  t.deepEqual(await modesOf(connection, readAll), [STORED, STORED, MADE])
  t.deepEqual(await modesOf(connection, [keys]), [STORED])
})

test('over many chunks only statements that read that table are planned for their values', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query(INSERT_DAYS, [FIRST_DAY, FIRST_DAY + 100])
  const connection = await pipelined(t, db)
  await choosePlans(connection)
  t.false(keepsAllPlans(connection))
  t.deepEqual(await modesOf(connection, [windows, keys, anew, keys]), [MADE, STORED, MADE, STORED])
})

test('sets the mode of plans again after the transaction that set it failed', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const connection = await pipelined(t, db)
  await choosePlans(connection)
  await keys(connection)
  const given = new Error('given up')
  const fails = async () => {
    await anew(connection)
    throw given
  }
  t.is(await t.throwsAsync(inSnapshot(connection, fails)), given)
  t.deepEqual(await modesOf(connection, [anew, keys]), [MADE, STORED])
  await connection.query('begin')
  await t.throwsAsync(listAnew(connection, []), { message: /parameters/ })
  await t.throwsAsync(keys(connection), { code: '25P02' })
  await connection.query('rollback')
  t.deepEqual(await modesOf(connection, [keys, anew]), [STORED, MADE])
})

test('a cached plan finds rows of a later chunk', async (t) => {
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
  const connection = await pipelined(t, db)
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
