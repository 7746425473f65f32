// Deadlines against real locks and a real outage: the answers to clients, and that no query continues in the database
// without a waiter.

import { request } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { startApi } from '../../api/main.ts'
import { holdsWithin } from '../../deploy/local/waiting.ts'
import { connect, type Db } from '../../sql/db.ts'
import { migrate } from '../../sql/migrate.ts'
import { type ApiUnderTest, apiUnderTest, SILENT } from '../support/api/api-under-test.ts'
import { blockedStatements, untilBlocked } from '../support/api/blocked.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { sampleSwap, signatureOf } from '../support/market/sample-swap.ts'
import { ownStack } from '../support/servers/servers.ts'

/** Longer than a request on a loaded machine takes to get a connection. */
const DEADLINE_MS = 4_000
const BOUND_MS = 60_000
/** With a deadline that never passes within a test. */
const FAR_MS = 10 * BOUND_MS
const WANTED = { tier: 'free', environment: 'test', account: 'test', by: 'test' } as const

/** The table is locked until `use` has resolved. */
async function whileLocked<Result>(
  db: Db,
  table: string,
  use: () => Promise<Result>,
): Promise<Result> {
  const lock = await db.connect()
  try {
    await lock.query('begin')
    await lock.query(`lock table ${table} in access exclusive mode`)
    return await use()
  } finally {
    await lock.query('rollback')
    lock.release()
  }
}

/** An API of that deadline that has its connections: a loaded machine needs as long to open one. */
async function hurriedApi(t: ExecutionContext): Promise<ApiUnderTest> {
  const under = await apiUnderTest(t, { deadlineMs: DEADLINE_MS })
  const isAnswered = async (): Promise<boolean> => (await under.get('/pool-events')).status === 200
  t.true(await holdsWithin(BOUND_MS, isAnswered))
  return under
}

test('a look-up that runs out of time is 503 with Retry-After, and ends in the database', async (t) => {
  const { db, get } = await hurriedApi(t)
  await insertSwaps(db, [sampleSwap({ signature: signatureOf(1) })])
  for (const path of [`/swaps/${signatureOf(1)}`, `/swaps/${signatureOf(2)}`, '/swaps']) {
    const table = path === '/swaps' ? 'slot_span' : 'swap_signature'
    const { status, headers, body } = await whileLocked(db, table, async () => {
      const answer = await get(path)
      t.true(await holdsWithin(BOUND_MS, async () => (await blockedStatements(db)) === 0))
      return answer
    })
    t.is(status, 503, path)
    t.is(headers.get('Retry-After'), '1')
    t.is(body.error, 'service_unavailable')
  }
  const isBack = async (): Promise<boolean> =>
    (await get(`/swaps/${signatureOf(1)}`)).status === 200
  t.true(await holdsWithin(BOUND_MS, isBack))
})

test('elsewhere a query that runs out of time is 504', async (t) => {
  const { db, get } = await hurriedApi(t)
  const { status, body } = await whileLocked(db, 'pool_event', () => get('/pool-events'))
  t.is(status, 504)
  t.like(body, { success: false, error: { code: 'GATEWAY_TIMEOUT' } })
})

test('a key that is not found in time is no error of ours', async (t) => {
  const { db, call } = await hurriedApi(t)
  const { key } = await createKey(db, WANTED)
  const get = (path: string) => call(path, { 'X-API-Key': key })
  const refused = await whileLocked(db, 'api_key', () => get('/pool-events'))
  t.is(refused.status, 504)
  t.like(refused.body, { success: false, error: { code: 'GATEWAY_TIMEOUT' } })
  const flat = await whileLocked(db, 'api_key', () => get(`/swaps/${signatureOf(1)}`))
  t.is(flat.status, 503)
  t.is(flat.headers.get('Retry-After'), '1')
})

test('with all connections in use a request is 503 within its bound', async (t) => {
  const { db, get } = await apiUnderTest(t, { deadlineMs: 30_000, connectionsMax: 1 })
  const first = await whileLocked(db, 'swap_signature', async () => {
    const waiting = get(`/swaps/${signatureOf(1)}`)
    await untilBlocked(db)
    const { status, body, headers } = await get('/pool-events')
    t.is(status, 503)
    t.is(headers.get('Retry-After'), '1')
    t.like(body, { success: false, error: { code: 'UNAVAILABLE' } })
    t.is(await blockedStatements(db), 1)
    return { waiting }
  })
  t.is((await first.waiting).status, 404)
  t.is((await get('/pool-events')).status, 200)
})

test('cancels the running query when the client disconnects', async (t) => {
  const { db, api, key } = await apiUnderTest(t, { deadlineMs: FAR_MS })
  await whileLocked(db, 'swap_signature', async () => {
    const headers = { 'X-API-Key': key }
    const leaving = request(`${api.url}/swaps/${signatureOf(1)}`, { headers })
    leaving.on('error', () => {})
    leaving.end()
    await untilBlocked(db)
    leaving.destroy()
    t.true(await holdsWithin(BOUND_MS, async () => (await blockedStatements(db)) === 0))
  })
})

test('answers 503, never 404, while PostgreSQL is stopped, and recovers with it', async (t) => {
  const { databaseUrl, servers } = await ownStack(t)
  const db = connect(databaseUrl, { max: 2 })
  t.teardown(() => db.end())
  await migrate(db)
  await insertSwaps(db, [sampleSwap({ signature: signatureOf(1) })])
  const { key } = await createKey(db, WANTED)
  const api = await startApi({ databaseUrl, port: 0, log: SILENT, deadlineMs: DEADLINE_MS })
  t.teardown(() => api.stop())
  const send = (path: string) => fetch(api.url + path, { headers: { 'X-API-Key': key } })
  const isAnswered = async (): Promise<boolean> =>
    (await send(`/swaps/${signatureOf(1)}`)).status === 200
  t.true(await holdsWithin(BOUND_MS, isAnswered))
  await servers.postgres.stop()
  for (const path of [`/swaps/${signatureOf(1)}`, `/swaps/${signatureOf(2)}`, '/pool-events']) {
    const response = await send(path)
    t.is(response.status, 503, path)
    t.is(response.headers.get('Retry-After'), '1')
  }
  t.is((await send('/readyz')).status, 503)
  t.is((await send('/healthz')).status, 200)
  await servers.postgres.start()
  t.true(await holdsWithin(BOUND_MS, isAnswered))
})
