/** docs/sql.md: each of its ten questions is answered by `runQuery()` over swaps of all venues, whole and with rows. */
import test from 'ava'
import { lakeFiles } from '../../lake/folder.ts'
import { runQuery } from '../../lake/jail/run.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { lakeOf } from '../support/lake/lake-of.ts'
import { LAUNCHES } from '../support/market/launches.ts'
import { sampleSwap, signatureOf } from '../support/market/sample-swap.ts'
import { testDatabase } from '../support/servers/database.ts'
import { readText } from '../support/sources.ts'

const LIMITS = { rows: 10_000, bytes: 8 * 1024 ** 2, ms: 60_000 }
const QUESTIONS = 10

test('the ten questions of the page are answered', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  // The recorded launches have no trade of 10 SOL and more.
  const large = sampleSwap({ signature: signatureOf(1), solAmount: 20_000_000_000n })
  await insertSwaps(db, [...LAUNCHES, large])
  const { paths } = await lakeFiles(await lakeOf(t, db))
  const { signal } = new AbortController()
  const questions = Array.from(
    readText('docs/sql.md').matchAll(/```sql\n([^`]+)```/g),
    ([, sql = '']) => sql,
  )
  t.is(questions.length, QUESTIONS)
  for (const sql of questions) {
    const { columns, rows, truncated } = await runQuery({ sql, paths, limits: LIMITS, signal })
    t.true(columns.length > 1, sql)
    t.is(truncated, null, sql)
    t.true(rows.length > 0, sql)
  }
})
