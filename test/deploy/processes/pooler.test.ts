/** The whole installation on PgBouncer in transaction pooling, with four connections to the server. */
import { join } from 'node:path'
import test from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../api/main.ts'
import { createReader } from '../../../api/routing/reading/reader.ts'
import { connect } from '../../../sql/db.ts'
import { noteTransactionPooler } from '../../../sql/driver/pooler.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { ACTOR_NAMES } from '../../../workers/actors.ts'
import { makeRanking } from '../../../workers/jobs/leaderboard.ts'
import { refreshScreen } from '../../../workers/jobs/screener.ts'
import { SILENT } from '../../support/api/api-under-test.ts'
import { pgBouncer } from '../../support/cluster/pgbouncer.ts'
import { type Ran, runCommandLine, runHere, settingsOf } from '../../support/programs/commands.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket, swapsOf } from '../../support/workers/small-market.ts'

type Operation = { parameters: { name: string; in: string; example?: unknown }[] }
type Document = { paths: Record<string, { get?: Operation }> }

/** Served rankings change with the time at which their windows end. */
const tablesOf = ({ stdout }: Ran): unknown => JSON.parse(stdout).tables

test('workers, jobs, API and commands work through a pooler of four connections', async (t) => {
  const pipeline = await openPipeline(t)
  const { url } = await pgBouncer(t, pipeline.databaseUrl, { poolSize: 4 })
  noteTransactionPooler(url, pipeline.databaseUrl)
  const pooled = { ...pipeline, databaseUrl: url }

  const events = smallMarket(71, 3_000)
  const worker = await runWorker(t, pooled, { actors: ACTOR_NAMES })
  await publishAll(pipeline, events, { eventsMax: 50 })
  await untilCaughtUp(pipeline)
  await untilLedgerCaughtUp(pipeline, 60_000)
  await untilRankingCaughtUp(pipeline, 60_000)
  t.is(worker.failure(), undefined)

  const db = connect(url, { max: 3, statementTimeoutMs: 60_000 })
  t.teardown(() => db.end())
  const { rows: stored } = await db.query('select count(*)::integer as swaps from swap')
  t.deepEqual(stored, [{ swaps: swapsOf(events) }])
  t.true(await refreshScreen(db, '1h'))
  t.false(await makeRanking(db, '90d'), 'of so few wallets a request makes it')

  const settings = settingsOf(pipeline)
  const through = {
    ...settings,
    DATABASE_URL: url,
    PG_POOLER: 'transaction',
    DATABASE_DIRECT_URL: pipeline.databaseUrl,
  }
  const direct = await runHere(['verify', '--json'], settings)
  const verified = await runHere(['verify', '--json'], through)
  t.is(verified.code, 0, verified.stderr)
  t.deepEqual(tablesOf(verified), tablesOf(direct))
  const status = await runHere(['status', '--json'], through)
  t.is(status.code, 0, status.stderr)
  const migrated = await runHere(['migrate'], through)
  t.regex(migrated.stdout, /nothing to apply: the schema is up to date\n$/)
  for (const table of ['ledger', 'ranking', 'candles']) {
    const rebuilt = await runHere(['rebuild', table], through)
    t.is(rebuilt.code, 0, `${table} ${rebuilt.stderr}`)
  }
  const rebuilt = await runHere(['verify', '--json'], through)
  t.is(rebuilt.code, 0, rebuilt.stderr)
  t.deepEqual(tablesOf(rebuilt), tablesOf(direct), 'what was rebuilt is what was folded')
  const recovery = await runCommandLine(['recover', '--json'], through)
  t.is(recovery.code, 0, recovery.stderr)
  t.like(JSON.parse(recovery.stdout), { done: false })
  const replayed = await runHere(['replay', '--stdout'], through)
  t.is(replayed.code, 0, replayed.stderr)
  t.is(replayed.stdout, (await runHere(['replay', '--stdout'], settings)).stdout)
  t.true(replayed.stdout.split('\n').length > swapsOf(events))
  const folder = join(await temporaryFolder(t), 'exported')
  const exported = await runHere(['export', '--output', folder], through)
  t.is(exported.code, 0, exported.stderr)

  await worker.stop()
  const { rows: left } = await pipeline.db.query(
    "select relname from pg_class where relpersistence = 't' and relkind = 'r'",
  )
  t.deepEqual(left, [], 'no stage outlives its transaction')
  const named = 'select count(*)::integer as named from pg_prepared_statements, pg_sleep(0.2)'
  const sessions = await Promise.all([1, 2, 3].map(() => db.query(named)))
  t.deepEqual(
    sessions.map(({ rows: [row] }) => row),
    [{ named: 0 }, { named: 0 }, { named: 0 }],
  )
})

/** Longer than a loaded machine takes to open the session of the server. */
const DEADLINE_MS = 6_000

test('a request through a pooler has the settings and the deadline of one without', async (t) => {
  const { databaseUrl } = await openPipeline(t)
  const { url } = await pgBouncer(t, databaseUrl, { poolSize: 1 })
  noteTransactionPooler(url, databaseUrl)
  const reader = createReader(url, { deadlineMs: DEADLINE_MS, connectionsMax: 4 })
  t.teardown(() => reader.end())
  const signal = new AbortController().signal
  const seen = "select current_setting('enable_seqscan') as scan, current_setting('jit') as jit"
  const found = await reader.run(signal, async (db) => {
    const outside = await db.query(seen)
    const inside = await inSnapshot(db, () => db.query(seen))
    const after = await db.query(`${seen}, current_setting('transaction_isolation') as level`)
    return [outside, inside, after].map(({ rows: [row] }) => row)
  })
  const own = { scan: 'off', jit: 'off' }
  t.deepEqual(found, [own, own, { ...own, level: 'read committed' }])
  await t.throwsAsync(
    reader.run(signal, (db) => db.query('select pg_sleep(600)')),
    { code: '57014' },
  )
  // The only session of the server is free again, and has no setting of the request.
  const db = connect(url, { max: 1 })
  t.teardown(() => db.end())
  t.like((await db.query(seen)).rows[0], { scan: 'on' })
})

/** Every GET of the document with the subjects, with its example's query and without. */
function pathsOf(document: Document, subjects: { pair: string; mint: string; wallet: string }) {
  const { pair, mint, wallet } = subjects
  return Object.entries(document.paths).flatMap(([template, { get: operation }]) => {
    if (operation === undefined) return []
    const query = new URLSearchParams()
    let path = template.replace(/\{(mint|token|t)\}/, mint).replace('{wallet}', wallet)
    path = path.replace(/\{(pair|pool)\w*\}/, pair)
    for (const { name, in: location, example } of operation.parameters) {
      if (location === 'path') path = path.replace(`{${name}}`, String(example))
      else if (example !== undefined) query.set(name, String(example))
    }
    return [`${path}?${query}`, path]
  })
}

test('the API answers through a pooler as it does without', async (t) => {
  const pipeline = await openPipeline(t)
  const { url } = await pgBouncer(t, pipeline.databaseUrl, { poolSize: 4 })
  noteTransactionPooler(url, pipeline.databaseUrl)
  const worker = await runWorker(t, pipeline, { actors: ACTOR_NAMES })
  await publishAll(pipeline, smallMarket(72, 1_500))
  await untilCaughtUp(pipeline)
  await untilLedgerCaughtUp(pipeline, 60_000)
  await untilRankingCaughtUp(pipeline, 60_000)
  await worker.stop()
  const { key } = await createKey(pipeline.db, {
    ...{ tier: 'enterprise', environment: 'test', account: 'test', by: 'test' },
  } as never)
  const now = () => Date.parse('2026-07-20T13:00:00Z')
  const apis = await Promise.all(
    [pipeline.databaseUrl, url].map((databaseUrl) =>
      startApi({ databaseUrl, port: 0, log: SILENT, now, deadlineMs: 30_000, solUsdFallback: 150 }),
    ),
  )
  t.teardown(() => Promise.all(apis.map((api) => api.stop())))
  const [plain, pooled] = apis
  if (plain === undefined || pooled === undefined) return
  const get = async (base: string, path: string) => {
    const response = await fetch(base + path, { headers: { 'X-API-Key': key } })
    return { status: response.status, text: await response.text() }
  }
  const post = async (base: string, path: string, body: object) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const response = await fetch(base + path, {
      ...{ method: 'POST', headers, body: JSON.stringify(body) },
    })
    return { status: response.status, text: await response.text() }
  }
  const { rows } = await pipeline.db.query<{ pair: string; mint: string; wallet: string }>(
    `select pool.pair_address as pair, token.address as mint, wallet.address as wallet
     from swap join pool on pool.id = pool_id join token on token.id = token_id
     join wallet on wallet.id = wallet_id limit 1`,
  )
  const [{ pair = '', mint = '', wallet = '' } = {}] = rows
  const document = JSON.parse((await get(plain.url, '/openapi.json')).text) as Document
  const paths = pathsOf(document, { pair, mint, wallet })
  t.true(paths.length > 100)
  const differing: string[] = []
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        const [expected, actual] = [await get(plain.url, path), await get(pooled.url, path)]
        const isCounted = path.startsWith('/credits')
        if (expected.status === actual.status && (isCounted || expected.text === actual.text))
          continue
        differing.push(`${path}: ${expected.status} ${actual.status} ${actual.text.slice(0, 300)}`)
      }
    }),
  )
  t.deepEqual(differing, [])
  const posts: [string, object][] = [
    ['/v2/pnl/positions/batch', { pairs: [{ wallet, mint }] }],
    ['/wallets/batch', { wallets: [wallet] }],
    ['/graphql', { query: '{ __typename }' }],
    ['/graphql', { query: '{ swaps(limit: 3) { signature slot } }' }],
  ]
  for (const [path, body] of posts) {
    const answers = await Promise.all([plain, pooled].map((api) => post(api.url, path, body)))
    t.is(answers[0]?.status, 200, `${path} ${answers[0]?.text}`)
    t.deepEqual(answers[1], answers[0], path)
  }
})
