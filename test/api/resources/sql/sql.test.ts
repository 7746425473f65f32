/** POST /v2/sql: exact answers of stored swaps, the right of the key, refusals, and the same by GraphQL. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../../api/main.ts'
import {
  type ApiUnderTest,
  apiForFile,
  PATIENT_MS,
  SILENT,
} from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { lakeOf } from '../../../support/lake/lake-of.ts'
import { LAUNCHES } from '../../../support/market/launches.ts'
import { asker } from '../../graphql/send-query.ts'

const under = apiForFile()
let [lake, url, key] = ['', '', '']

const ends: (() => unknown)[] = []
test.after.always(async () => {
  for (const end of ends) await end()
})

test.serial.before(async () => {
  const { db, databaseUrl } = under()
  await insertSwaps(db, LAUNCHES)
  const owner = { teardown: (end: () => unknown) => ends.push(end) }
  lake = await lakeOf(owner, db)
  const options = { databaseUrl, lakeDir: lake, port: 0, log: SILENT }
  const api = await startApi({ ...options, deadlineMs: PATIENT_MS, walkMs: PATIENT_MS })
  ends.push(() => api.stop())
  url = api.url
  const wanted = { tier: 'enterprise', environment: 'test', account: 'sql', by: 'test' } as const
  key = (await createKey(db, { ...wanted, sqlAccess: true })).key
})

type Answered = { status: number; text: string }

async function post(body: unknown, as = key, to = url): Promise<Answered> {
  const response = await fetch(`${to}/v2/sql`, {
    method: 'POST',
    headers: { 'X-API-Key': as, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

const sumOf = (amounts: readonly (number | bigint)[]): bigint =>
  amounts.reduce<bigint>((sum, each) => sum + BigInt(each), 0n)

test.serial('sums of stored swaps are exact beyond 2^53', async (t) => {
  const lamports = sumOf(LAUNCHES.map(({ solAmount }) => solAmount))
  const tokens = 1_000_003n * sumOf(LAUNCHES.map(({ tokenAmount }) => tokenAmount))
  t.true(tokens > 2n ** 53n)
  const sql =
    'select count(*) as swaps, sum(sol_amount) as sol, sum(token_amount) * 1000003 as tokens from swaps'
  const { status, text } = await post({ sql })
  t.is(status, 200, text)
  t.is(
    text,
    `{"columns":[{"name":"swaps","type":"BIGINT"},{"name":"sol","type":"HUGEINT"},{"name":"tokens","type":"HUGEINT"}],"rows":[[${LAUNCHES.length},${lamports},${tokens}]],"truncated":null,"first_day":"2026-11-01","last_day":"2026-11-01","day_count":1,"days_with_gaps":0}`,
  )
  const cut = JSON.parse((await post({ sql: 'select slot from swaps', limit: 3 })).text)
  t.deepEqual([cut.rows.length, cut.truncated], [3, 'rows'])
})

test.serial('GraphQL answers the same', async (t) => {
  const sql = 'select dex, sum(token_amount) as tokens from swaps group by dex order by dex'
  const { rows } = JSON.parse((await post({ sql })).text)
  const { send } = await asker({ api: { url } as ApiUnderTest['api'], db: under().db })
  const query = `{ sql(sql: ${JSON.stringify(sql)}) { rows truncated } }`
  const { data } = await send(query, {}, { 'X-API-Key': key })
  t.deepEqual(data, { sql: { rows, truncated: null } })
})

test.serial(
  'a key without the right, and an installation without files, are refused by name',
  async (t) => {
    const { api, key: plain } = under()
    const sql = 'select 1'
    const without = await post({ sql }, plain)
    t.is(without.status, 403, without.text)
    t.true(without.text.includes('the key has no SQL access'), without.text)
    const nowhere = await post({ sql }, key, api.url)
    t.is(nowhere.status, 403, nowhere.text)
    t.true(nowhere.text.includes('LAKE_DIR is not set'), nowhere.text)
  },
)

test.serial(
  'statements that are not run are 400 with the reason, and answers never name a path',
  async (t) => {
    for (const [sql, reason] of [
      ["select * from read_text('/etc/passwd')", 'table function read_text() is not available'],
      ['select 1; select 2', 'the text has 2 statements'],
      ['select nothing from swaps', 'nothing'],
      ['selec', 'syntax error'],
      ["select length(repeat('x', 900000000) || repeat('y', 900000000))", 'more memory'],
    ] as const) {
      const { status, text } = await post({ sql })
      t.is(status, 400, text)
      t.true(text.includes(reason), text)
      t.false(text.includes(lake), text)
    }
    t.is((await post({})).status, 400)
    t.is((await post({ sql: `select '${'x'.repeat(70_000)}'` })).status, 400)
    t.is((await post({ sql: 'select 1', limit: 0 })).status, 400)
  },
)

test.serial(
  'more queries at once than cores are 503, and lost files are 503 without a path',
  async (t) => {
    const sql = 'select count(*) from swaps'
    const answers = await Promise.all(Array.from({ length: 3 }, () => post({ sql })))
    t.deepEqual(answers.map(({ status }) => status).filter((status) => status === 503).length, 1)
    await rm(join(lake, 'swaps/2026-11-01.parquet'))
    const lost = await post({ sql: 'select 1' })
    t.is(lost.status, 503, lost.text)
    t.false(lost.text.includes(lake), lost.text)
    await writeFile(join(lake, 'lake.json'), '{')
    t.is((await post({ sql: 'select 1' })).status, 503)
  },
)
