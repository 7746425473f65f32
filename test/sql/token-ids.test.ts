/** Ids of tokens: an integer a mint, not one for each of its events. */
import test from 'ava'
import { query } from '../../sql/query.ts'
import { mergeTokens } from '../../workers/pool/write/token-merge.ts'
import { testDatabase } from '../support/servers/database.ts'
import { until } from '../support/workers/pipeline.ts'

const mergeTokenLines = query('pool/merge_tokens')
const insertTokens = query('pool/insert_tokens')

const MINTS = Array.from({ length: 100 }, (_, n) => `mint-${String(n).padStart(3, '0')}`)
const lines = (mints: readonly string[], slot: number) =>
  mergeTokens(mints.map((tokenAddress) => ({ tokenAddress, slot, symbol: `S${slot}` })))

test('spends no ids on known mints that are merged again', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  for (let slot = 1; slot <= 50; slot++) {
    await mergeTokenLines(db, lines(MINTS, slot))
    await insertTokens(db, [MINTS])
  }
  await mergeTokenLines(db, lines(['mint-new'], 1))
  await insertTokens(db, [[...MINTS, 'mint-newer']])
  const { rows } = await db.query<{ id: number; mint: string; symbol: string | null }>(
    'select id, address as mint, symbol from token order by id',
  )
  t.deepEqual(
    rows,
    [...MINTS, 'mint-new', 'mint-newer'].map((mint, index) => ({
      id: index + 1,
      mint,
      symbol: index < 100 ? 'S50' : index === 100 ? 'S1' : null,
    })),
  )
})

test('merges lines of a mint that two lanes insert at once', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await mergeTokenLines(db, lines(['mint-b'], 1))
  const one = await db.connect()
  await one.query('begin')
  await mergeTokenLines(one, lines(['mint-a', 'mint-b'], 2))
  const merged = mergeTokenLines(db, lines(['mint-a', 'mint-b', 'mint-c'], 3))
  const interned = insertTokens(db, [['mint-a', 'mint-d']])
  await until('both wait for the first', 60_000, async () => {
    const { rows } = await db.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length === 2
  })
  await one.query('commit')
  one.release()
  await Promise.all([merged, interned])
  const { rows } = await db.query('select address, symbol from token order by address')
  t.deepEqual(rows, [
    { address: 'mint-a', symbol: 'S3' },
    { address: 'mint-b', symbol: 'S3' },
    { address: 'mint-c', symbol: 'S3' },
    { address: 'mint-d', symbol: null },
  ])
})
