/** Back-tests beyond a request: jobs with progress, events, cancellation and limits, which survive their worker. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { findCopies } from '../../../../api/resources/backtest/copy.ts'
import { computeBacktest } from '../../../../api/resources/backtest/jobs/compute.ts'
import { JOB_LIMITS } from '../../../../api/resources/backtest/limits.ts'
import { type ChosenRequest, copyBody } from '../../../../api/resources/backtest/schema.ts'
import { CoverageGaps } from '../../../../api/resources/coverage/gaps.ts'
import { bodyParserOf } from '../../../../api/routing/body.ts'
import type { Tier } from '../../../../api/routing/caller.ts'
import { inTransaction, onConnection } from '../../../../sql/db.ts'
import { apiForFile, LONG_LIMIT } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { FormulaPool } from '../../../support/market/formula-pool.ts'
import { bestWallets, LAUNCHES } from '../../../support/market/launches.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'
import { until } from '../../../support/workers/pipeline.ts'
import { asker } from '../../graphql/send-query.ts'

const BOUND_MS = 120_000
const PROGRAM = join(import.meta.dirname, '../../../support/programs/jobs-program.ts')
const SLOTS = LAUNCHES.map(({ slot }) => slot)
const [FIRST, LAST] = [Math.min(...SLOTS), Math.max(...SLOTS)]
const MANY = trader(31)
const MANY_ORDERS = 1_050
const REQUEST_MAX = 10
const JOB_MAX = 1_100

const ends: (() => unknown)[] = []
const bench = openJobBench({ teardown: (end) => ends.push(end) })
const under = apiForFile({
  ...LONG_LIMIT,
  jobs: bench.queue(),
  copyLimits: { ordersMax: REQUEST_MAX, swapsMax: 1_055 },
  copyJobLimits: { ordersMax: JOB_MAX, swapsMax: 1_060, tradesMax: 2_000 },
})

test.serial.before(async () => {
  const pool = new FormulaPool({
    ...{ dex: 3, pair: 21, sol: 1_000_000_000_000n, tokens: 500_000_000_000_000n },
  })
  const many = Array.from({ length: MANY_ORDERS }, () => pool.buy(1_000_000n, { user: MANY }))
  await insertSwaps(under().db, [...LAUNCHES, ...many])
})
test.after.always('ends before the database does', async () => {
  for (const end of ends.reverse()) await end()
})

let accounts = 0
async function keyOf(tier: Tier): Promise<string> {
  const account = `copies${accounts++}`
  const wanted = { tier, environment: 'test', account, by: 'test' } as const
  return (await createKey(under().db, wanted)).key
}

type Job = { id: string; status: string; orders: number; orders_done: number; slot: number | null }
type Trades = { copies: string; run: number }[]
type Copies = Job & { trades: Trades; next_cursor: string | null; result_hash: string }

async function send(method: string, path: string, key: string, body?: object) {
  const response = await fetch(`${under().api.url}/v2/backtest/${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const left = Number(response.headers.get('X-RateLimit-Remaining'))
  return { status: response.status, text, left, body: JSON.parse(text) as Copies }
}
const post = (key: string, body: object) => send('POST', 'copy', key, body)
const read = (key: string, id: string, query = '') => send('GET', `${id}${query}`, key)

const BEST = {
  ...{ wallets: bestWallets(10), from_slot: FIRST, to_slot: LAST, size_lamports: [100_000_000] },
  ...{ delay_slots: [0, 2], position: 'start', slippage_bps: 2_000 },
}
const WHOLE = { wallets: [MANY], from_slot: 0, to_slot: LAST, size_lamports: [1_000_000] }

/** The answer of the same code without a job. */
async function directly(body: object) {
  const request = bodyParserOf(copyBody)(body) as ChosenRequest
  const found = await findCopies(request, {
    near: (work) => onConnection(under().db, work),
    ...{ gaps: new CoverageGaps(), limits: JOB_LIMITS, signal: AbortSignal.timeout(BOUND_MS) },
  })
  return { hash: found.hash, trades: found.list(0, found.count) as unknown as Trades }
}

async function answered(key: string, id: string): Promise<Copies> {
  let last: Awaited<ReturnType<typeof read>> | undefined
  await until('the job is done', BOUND_MS, async () => {
    last = await read(key, id, '?limit=30')
    return last.status !== 202
  })
  if (last?.status !== 200) throw new Error(last?.text)
  return last.body
}

/** Compute here, as a worker does. */
const compute = (backtest?: string) =>
  computeBacktest(
    backtest === undefined ? {} : { backtest },
    { db: under().db, log: bench.recording.log },
    AbortSignal.timeout(BOUND_MS),
    { ending: new AbortController().signal },
  )

async function statusOf(id: string): Promise<{ status: string; starts: number } | undefined> {
  const { rows } = await under().db.query('select status, starts from backtest where id = $1', [id])
  return rows[0]
}

test.serial(
  'more orders than a request answers are a job with the same answer in pages',
  async (t) => {
    const key = await keyOf('developer')
    const begun = await post(key, BEST)
    t.is(begun.status, 202, begun.text)
    t.like(begun.body, { status: 'waiting', orders_done: 0, slot: null })
    t.true(begun.body.orders > REQUEST_MAX)
    const again = await post(key, { ...BEST, trades_limit: 5 })
    t.is(again.body.id, begun.body.id, 'the same settings share the job')
    const { hash, trades } = await directly(BEST)
    t.is(begun.body.orders * 2, trades.length)
    const worker = bench.work({
      databaseUrl: under().databaseUrl,
      functions: { backtest: computeBacktest },
    })
    const first = await answered(key, begun.body.id)
    await worker.stop()
    t.is(first.result_hash, hash)
    t.is(first.id, begun.body.id)
    const pages = [...first.trades]
    for (let next = first.next_cursor; next !== null; ) {
      const page = (await read(key, begun.body.id, `?limit=30&cursor=${next}`)).body
      pages.push(...page.trades)
      next = page.next_cursor
    }
    t.deepEqual(pages as object[], JSON.parse(JSON.stringify(trades, bigints)))
    const stored = await post(key, BEST)
    t.is(stored.status, 200)
    t.like(stored.body, { id: begun.body.id, result_hash: hash, next_cursor: null })
    const without = await post(key, { ...BEST, trades: false })
    t.not(without.body.id, begun.body.id)
    await send('DELETE', without.body.id, key)
  },
)

const bigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : value

test.serial('a key reads and cancels back-tests of its own only', async (t) => {
  const [own, other] = [await keyOf('free'), await keyOf('free')]
  const { id } = (await post(own, BEST)).body
  for (const method of ['GET', 'DELETE']) {
    const { status, text } = await send(method, id, other)
    t.is(status, 404, text)
  }
  t.is((await send('GET', `${id}/events`, other)).status, 404)
  t.is((await read(own, 'no-id')).status, 404)
  const { status, body } = await send('DELETE', id, own)
  t.is(status, 200)
  t.deepEqual(body as object, { id, status: 'cancelled' })
  t.is((await read(own, id)).status, 404)
})

test.serial('a tier has so many jobs at once', async (t) => {
  const key = await keyOf('free')
  const first = await post(key, BEST)
  const refused = await post(key, WHOLE)
  t.is(refused.status, 429)
  t.regex(refused.text, /tier \\"free\\" allows 1 back-test jobs? at once/)
  await send('DELETE', first.body.id, key)
  const second = await post(key, WHOLE)
  t.is(second.status, 202, second.text)
  await send('DELETE', second.body.id, key)
})

test.serial(
  'counts another request for each thousand orders, and none for a refusal',
  async (t) => {
    const key = await keyOf('free')
    const small = { ...WHOLE, to_slot: 1_004 }
    const { left } = await post(key, small)
    const tooMany = { ...WHOLE, wallets: [MANY, ...bestWallets(10)] }
    const refused = await post(key, tooMany)
    t.is(refused.status, 422)
    t.regex(refused.text, /"TOO_MANY_ORDERS".*have \d+ orders in slots 0 to \d+, the limit is 1100/)
    const { error } = JSON.parse(refused.text)
    t.like(error, { code: 'TOO_MANY_ORDERS', limit: 1_100 })
    t.true(error.orders > MANY_ORDERS)
    t.is(refused.left, left - 1)
    const begun = await post(key, WHOLE)
    t.is(begun.status, 202)
    t.is(begun.body.orders, MANY_ORDERS)
    t.is(begun.left, left - 3)
    await send('DELETE', begun.body.id, key)
  },
)

test.serial('refuses more swaps and more trades than a job computes', async (t) => {
  const key = await keyOf('free')
  const twice = await post(key, { ...WHOLE, delay_slots: [0, 1] })
  t.is(twice.status, 400)
  t.regex(twice.text, /trades: 1050 orders in 2 runs are 2100 in all, the limit is 2000/)
  // Few orders, but balances follow from the whole history.
  const history = { ...WHOLE, wallets: [MANY, ...bestWallets(10)], from_slot: LAST }
  const refused = await post(key, history)
  t.is(refused.status, 422)
  t.regex(refused.text, /more than 1060 swaps up to slot \d+: send fewer wallets/)
})

type Event = { event: string; id: string; state: Record<string, unknown> }

/** Events of a stream until it ends. */
async function eventsOf(key: string, id: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${under().api.url}/v2/backtest/${id}/events`, {
    headers: { 'X-API-Key': key, ...headers },
  })
  const text = await response.text()
  const events = text.split('\n\n').flatMap((block): Event[] => {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(': ', 1)[0], line.replace(/^\w+: /, '')]),
    )
    const state = fields.get('data')
    if (state === undefined) return []
    return [
      { event: fields.get('event') ?? '', id: fields.get('id') ?? '', state: JSON.parse(state) },
    ]
  })
  return { status: response.status, type: response.headers.get('Content-Type'), events, text }
}

test.serial('events report the progress and the end, and resume after the last one', async (t) => {
  const key = await keyOf('developer')
  const { id } = (await post(key, BEST)).body
  const streaming = eventsOf(key, id)
  await compute(id)
  const { type, events } = await streaming
  t.regex(type ?? '', /^text\/event-stream/)
  const versions = events.map((each) => Number(each.id))
  t.deepEqual(
    versions,
    [...new Set(versions)].toSorted((a, b) => a - b),
  )
  const last = events.at(-1)
  t.is(last?.event, 'done')
  t.like(last?.state, { id, trades: [] })
  t.is(last?.state.result_hash, (await read(key, id)).body.result_hash)
  const before = await eventsOf(key, id, { 'Last-Event-ID': '0' })
  t.deepEqual(before.events, [last])
  const after = await eventsOf(key, id, { 'Last-Event-ID': last?.id ?? '' })
  t.is(after.status, 204)
  const strange = await eventsOf(key, id, { 'Last-Event-ID': 'x' })
  t.is(strange.status, 400)
  const open = eventsOf(key, (await post(key, WHOLE)).body.id)
  const begun = await post(key, WHOLE)
  await send('DELETE', begun.body.id, key)
  t.is((await open).events.at(-1)?.event, 'cancelled')
})

/** Holds every run at its first read of pools, until it is let on. */
async function held(): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>()
  const latch = Promise.withResolvers<void>()
  const holding = inTransaction(under().db, async (db) => {
    await db.query('lock table pool in access exclusive mode')
    locked.resolve()
    await latch.promise
  })
  await locked.promise
  return async () => {
    latch.resolve()
    await holding
  }
}

test.serial('a job that lost its worker is done by another', async (t) => {
  const key = await keyOf('free')
  const { id } = (await post(key, BEST)).body
  const { databaseUrl } = under()
  const { redisUrl, prefix } = bench
  const letOn = await held()
  const given = { databaseUrl, redisUrl, prefix, lockMs: 1_000 }
  const worker = spawn(process.execPath, [PROGRAM, JSON.stringify(given)], { stdio: 'ignore' })
  const hasExited = once(worker, 'exit')
  t.teardown(() => worker.kill('SIGKILL'))
  await until('the job runs', BOUND_MS, async () => (await statusOf(id))?.status === 'running')
  worker.kill('SIGKILL')
  await hasExited
  await letOn()
  const other = bench.work({
    ...{ databaseUrl, lockMs: 1_000 },
    functions: { backtest: computeBacktest },
  })
  const { result_hash: hash } = await answered(key, id)
  await other.stop()
  t.is(hash, (await directly(BEST)).hash)
  t.is((await statusOf(id))?.starts, 2)
})

test.serial('GraphQL reads a job and begins none', async (t) => {
  const { send: query, key } = await asker(under())
  const { id } = (await post(key, BEST)).body
  const read = () => query(`{ backtest(id: "${id}", limit: 2) { result_hash trades { run } } }`)
  const waiting = await read()
  t.like(waiting.errors?.[0], { extensions: { code: 'UNAVAILABLE' } })
  t.regex(waiting.errors?.[0]?.message ?? '', /not ready.*"orders_done":0/)
  await compute(id)
  const { hash } = await directly(BEST)
  const expected = { result_hash: hash, trades: [{ run: 0 }, { run: 0 }] }
  t.deepEqual((await read()).data as unknown, { backtest: expected })
  const whole = await query(`{ copyBacktest(wallets: ["${MANY}"], from_slot: 0, repeat_buys: true,
    size_lamports: [100000000]) { result_hash } }`)
  t.like(whole.errors?.[0], { extensions: { code: 'TOO_MANY_ORDERS' } })
  t.regex(whole.errors?.[0]?.message ?? '', /the limit is 10: .*by REST, where a job answers it/)
})

test.serial('a job that is cancelled while it runs leaves nothing', async (t) => {
  const key = await keyOf('free')
  const { id } = (await post(key, BEST)).body
  const letOn = await held()
  const computing = compute(id)
  await until('the job runs', BOUND_MS, async () => (await statusOf(id))?.status === 'running')
  t.is((await send('DELETE', id, key)).status, 200)
  await letOn()
  await computing
  t.is(await statusOf(id), undefined)
  const { rows } = await under().db.query('select from backtest_trades where backtest_id = $1', [
    id,
  ])
  t.is(rows.length, 0)
})

test.serial('the schedule computes jobs that nothing computes, and deletes old ones', async (t) => {
  const key = await keyOf('developer')
  const { db } = under()
  const { id } = (await post(key, BEST)).body
  await compute()
  t.is((await read(key, id)).status, 202)
  await db.query(`update backtest set changed_at = now() - interval '2 minutes' where id = $1`, [
    id,
  ])
  await compute()
  t.is((await read(key, id)).status, 200)
  await db.query(`update backtest set created_at = now() - interval '25 hours' where id = $1`, [id])
  t.is((await read(key, id)).status, 404)
  t.is((await post(key, BEST)).status, 202, 'a new job')
  t.is(await statusOf(id), undefined)
})

test.serial('a job that fails again and again ends with the reason', async (t) => {
  const key = await keyOf('free')
  const { id } = (await post(key, BEST)).body
  await under().db.query('update backtest set starts = 10 where id = $1', [id])
  await compute(id)
  const { status, text } = await read(key, id)
  t.is(status, 500)
  t.regex(text, /the back-test failed: its runs failed/)
  t.is((await post(key, BEST)).status, 202, 'a failed one is begun again')
})
