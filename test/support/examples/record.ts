/**
 * Records the examples of the documents: the market that their requests name, and the answer to each, on real servers.
 * The same at every run and on every machine.
 */
import type { ExecutionContext } from 'ava'
import type { Samples } from '../../../api/admin/samples/sampling.ts'
import type { ExampleMarket } from '../../../api/examples/market.ts'
import type { RecordedExample, RecordedExamples } from '../../../api/examples/recorded.ts'
import { createKey, findKey, hashOfKey } from '../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../api/main.ts'
import { findMarket } from '../../../api/openapi/installation/installation.ts'
import { GRAPHQL_EXAMPLE } from '../../../api/openapi/paths/graphql-path.ts'
import { computeBacktest } from '../../../api/resources/backtest/jobs/compute.ts'
import { EXAMPLE_ID } from '../../../api/resources/backtest/jobs/schema.ts'
import { type CopyRequest, copyBody } from '../../../api/resources/backtest/schema.ts'
import { CoverageGaps } from '../../../api/resources/coverage/gaps.ts'
import { computeRankings } from '../../../api/resources/leaderboard/past/compute.ts'
import { EXAMPLE_ID as RANKING_ID } from '../../../api/resources/leaderboard/past/schema.ts'
import { storeQuestion } from '../../../api/resources/stored-answers/store.ts'
import { type RouteListDeps, routesWithAudits } from '../../../api/routes.ts'
import { bodyParserOf } from '../../../api/routing/body.ts'
import { ANY_CALLER } from '../../../api/routing/caller.ts'
import { createReader } from '../../../api/routing/reading/reader.ts'
import type { Route } from '../../../api/routing/route.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { openOperations } from '../../../deploy/operations/operations.ts'
import { parseExact } from '../../../domain/text/exact-json.ts'
import { PATIENT_MS, SILENT } from '../api/api-under-test.ts'
import { lakeOf } from '../lake/lake-of.ts'
import { openJobBench } from '../workers/jobs.ts'
import type { Pipeline } from '../workers/pipeline.ts'
import { tagWallets } from '../workers/tag-wallets.ts'
import { openDemoMarket } from './demo-market.ts'
import { firstRows, NO_UUID, pinned, type Run } from './pinned.ts'
import {
  missingMessage,
  operatorCursor,
  PHASES,
  phaseOf,
  type Recorded,
  request,
} from './requests.ts'

/** `npm run examples` writes what is recorded. */
export const IS_RECORDING = process.env.RECORD_EXAMPLES === '1'

const ADMIN_KEY = 'an-operators-key-of-the-examples'
const ACCOUNT = { tier: 'developer', environment: 'live', account: 'acme', by: 'admin' } as const
const WEBHOOKS = { secretKey: 'a-key-of-the-secrets-of-the-examples', policy: 'refuse' } as const

export async function recordExamples(t: ExecutionContext): Promise<RecordedExamples> {
  const beganMs = Date.now()
  const { pipeline, nowMs, stopWorker } = await openDemoMarket(t)
  const run = { beganMs, nowMs }
  const { api, routes } = await openApi(t, pipeline, nowMs)
  const found = await marketOf(pipeline, routes, nowMs)
  const market = { ...found, cursors: { ...found.cursors } }
  await tagWallets(pipeline.db, new Map([[market.wallet, ['smart_money']]]), Date.now())
  await untilCurrent(api)
  api.ids.set(EXAMPLE_ID, await storeBacktest(pipeline, api, market))
  api.ids.set(RANKING_ID, await storeRanking(t, pipeline, api, { routes, market }))
  const answers: Record<string, RecordedExample> = {}
  for (const phase of PHASES) {
    if (phase === 'change') await stopWorker()
    for (const route of routes.filter((each) => phaseOf(each) === phase && !showsItself(each))) {
      answers[route.operationId] = await recordRoute(api, route, market, run)
      const cursor = await operatorCursor(api, route, market)
      if (cursor !== undefined) market.cursors[route.path] = cursor
    }
  }
  answers.queryGraphql = { answer: pinned(await queryGraphql(api), run, 'queryGraphql') }
  const sorted = Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1))
  return { market, answers: Object.fromEntries(sorted) }
}

/** Documents, whose declarations have their beginning. */
const showsItself = ({ answer }: Route): boolean => 'examples' in answer

async function openApi(
  t: ExecutionContext,
  { databaseUrl, db, jetStream, topology, recording: { log } }: Pipeline,
  nowMs: number,
): Promise<{ api: Recorded; routes: Route[] }> {
  const now = () => nowMs
  const bench = openJobBench(t)
  const jobs = bench.queue()
  const operations = openOperations({ databaseUrl, jetStream, topology, jobs, log })
  t.teardown(() => operations.close())
  const { redisUrl, prefix } = bench
  const options = { adminKey: ADMIN_KEY, operations, webhooks: WEBHOOKS, now, log: SILENT }
  const lakeDir = await lakeOf(t, db)
  const api = await startApi({
    ...{ ...options, lakeDir, databaseUrl, redisUrl, prefix, port: 0 },
    ...{ deadlineMs: PATIENT_MS, walkMs: PATIENT_MS },
    feed: { jetStream, stream: topology.feed.stream },
  })
  t.teardown(() => api.stop())
  await createKey(db, ACCOUNT)
  const { key } = await createKey(db, { ...ACCOUNT, tier: 'enterprise', sqlAccess: true })
  const usage: RouteListDeps['usage'] = { thisMonth: async () => 0n }
  const samples: Samples = {
    columns: () => ({ everyMs: 0, atMs: [], series: {} as never }),
    stop() {},
  }
  const deps = { ...options, usage, samples }
  const declared = routesWithAudits(deps, new CoverageGaps())
  const routes = [...declared.routes, ...declared.audits]
  return { api: { url: api.url, key, adminKey: ADMIN_KEY, ids: new Map() }, routes }
}

async function marketOf(
  { databaseUrl }: Pipeline,
  routes: readonly Route[],
  nowMs: number,
): Promise<ExampleMarket> {
  const reader = createReader(databaseUrl, { deadlineMs: PATIENT_MS, walkMs: PATIENT_MS })
  const signal = AbortSignal.timeout(PATIENT_MS)
  const found = await findMarket(routes, { reader, signal, caller: ANY_CALLER }, nowMs)
  await reader.end()
  if (found?.isWhole !== true) throw new Error('the market of the examples lacks something')
  return found.market as ExampleMarket
}

async function recordRoute(
  api: Recorded,
  route: Route,
  market: ExampleMarket,
  run: Run,
): Promise<RecordedExample> {
  const missing = route.errors.includes('NOT_FOUND')
    ? { missing: await missingMessage(api, route, market) }
    : {}
  const { operationId } = route
  const { id, ...example } = route.example(market)
  const given = id === undefined ? example : { ...example, id: api.ids.get(id) ?? id }
  const { status, text } = await request(api, route, given)
  if (status !== 200) throw new Error(`${operationId}: ${status} ${text}`)
  const answered = parseExact(text)
  if (operationId === 'startReplay') api.ids.set(NO_UUID, JSON.parse(text).data.id)
  return { answer: firstRows(pinned(answered, run, operationId)), ...missing }
}

/** A busy worker notes later than its commit what it has published. */
async function untilCurrent({ url, key }: Recorded): Promise<void> {
  const isCurrent = async (): Promise<boolean> => {
    const response = await fetch(`${url}/api/v1/slot`, { headers: { 'X-API-Key': key } })
    return response.status === 200 && (await response.text()).includes('"held_by":null')
  }
  if (!(await holdsWithin(PATIENT_MS, isCurrent))) throw new Error('the slot is held')
}

/** The id of a back-test of the wallet that was computed as by a job. */
async function storeBacktest(
  { db }: Pipeline,
  { key }: Recorded,
  { wallet, slot, saleSlot }: ExampleMarket,
): Promise<string> {
  const body = {
    wallets: [wallet],
    from_slot: Math.min(slot, saleSlot),
    size_lamports: 100_000_000,
  }
  const request = bodyParserOf(copyBody)(body) as CopyRequest
  const lineage = (await findKey(db, hashOfKey(key)))?.lineage ?? ''
  const id = await storeQuestion('backtest', db, { lineage, identity: '', request, total: 1 }, 1)
  if (id === undefined) throw new Error('no back-test was stored')
  const never = new AbortController().signal
  await computeBacktest({ backtest: id }, { db, log: SILENT }, never, { ending: never })
  return id
}

/** The id of a leaderboard as of a slot that was requested as in the example, of an API with jobs, and computed as by a job. */
async function storeRanking(
  t: ExecutionContext,
  { databaseUrl, db, jetStream, topology }: Pipeline,
  recorded: Recorded,
  { routes, market }: { routes: readonly Route[]; market: ExampleMarket },
): Promise<string> {
  const route = routes.find(({ operationId }) => operationId === 'rankWalletsAsOf')
  if (route === undefined) throw new Error('no route rankWalletsAsOf')
  const api = await startApi({
    ...{ databaseUrl, jobs: openJobBench(t).queue(), port: 0, log: SILENT },
    ...{ deadlineMs: PATIENT_MS, walkMs: PATIENT_MS },
    feed: { jetStream, stream: topology.feed.stream },
  })
  try {
    const given = { ...recorded, url: api.url }
    await untilCurrent(given)
    const { status, text } = await request(given, route, route.example(market))
    if (status !== 202) throw new Error(`rankWalletsAsOf: ${status} ${text}`)
    const { id } = JSON.parse(text) as { id: string }
    const never = new AbortController().signal
    await computeRankings({ ranking: id }, { db, log: SILENT }, never, { ending: never })
    return id
  } finally {
    await api.stop()
  }
}

async function queryGraphql({ url, key }: Recorded): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(GRAPHQL_EXAMPLE),
  })
  return await response.json()
}
