/** /v2/asof/leaderboard: a leaderboard as of a slot is a job with progress, an answer for a day, and an end. */
import test from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { computeRankings } from '../../../../api/resources/leaderboard/past/compute.ts'
import { lamportsToSol } from '../../../../domain/amount.ts'
import { inTransaction } from '../../../../sql/db.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { ranksOf } from '../../../simulation/models/leaderboard-model.ts'
import { apiForFile, LONG_LIMIT } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'
import { until } from '../../../support/workers/pipeline.ts'
import { asker } from '../../graphql/send-query.ts'
import { randomTransactions } from './random-transactions.ts'

const BOUND_MS = 120_000
const SWAPS = randomTransactions(new Prng([41]), { count: 500, skewMs: 600_000 })
const SLOTS = SWAPS.map(({ slot }) => slot).sort((a, b) => a - b)
const SLOT = SLOTS[Math.floor(SLOTS.length * 0.8)]!
const NEWEST = SLOTS.at(-1)!

const ends: (() => unknown)[] = []
const bench = openJobBench({ teardown: (end) => ends.push(end) })
const under = apiForFile({ ...LONG_LIMIT, jobs: bench.queue() })

test.serial.before(() => insertLedger(under().db, SWAPS))
test.after.always('ends before the database does', async () => {
  for (const end of ends.reverse()) await end()
})

let accounts = 0
async function freeKey(): Promise<string> {
  const account = `rankings${accounts++}`
  const wanted = { tier: 'free', environment: 'test', account, by: 'test' } as const
  return (await createKey(under().db, wanted)).key
}

type Body = { id: string; leaderboard: object[]; as_of: { slot: number }; error?: object }

async function send(method: string, path: string, key: string, body?: object) {
  const response = await fetch(`${under().api.url}/v2/asof/leaderboard${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text || '{}') as Body }
}

const compute = (ranking?: string) =>
  computeRankings(
    ranking === undefined ? {} : { ranking },
    { db: under().db, log: bench.recording.log },
    AbortSignal.timeout(BOUND_MS),
    { ending: new AbortController().signal },
  )

const statusOf = async (id: string): Promise<string | undefined> =>
  (await under().db.query('select status from past_ranking where id = $1', [id])).rows[0]?.status

test.serial('a worker answers with the ranks of the swaps up to the slot', async (t) => {
  const key = await freeKey()
  const question = { as_of_slot: SLOT, period: '30d', pnl_mode: 'strict', limit: 1_000 }
  const begun = await send('POST', '', key, question)
  t.is(begun.status, 202, begun.text)
  t.like(begun.body, { status: 'waiting', wallets: 0, wallets_done: 0, eta_ms: null })
  const { id } = begun.body
  t.is((await send('POST', '', key, question)).body.id, id, 'the same question shares the job')
  const { databaseUrl } = under()
  const worker = bench.work({ databaseUrl, functions: { 'past-ranking': computeRankings } })
  let answered = await send('GET', `/${id}`, key)
  await until('the job is done', BOUND_MS, async () => {
    answered = await send('GET', `/${id}`, key)
    return answered.status !== 202
  })
  await worker.stop()
  t.is(answered.status, 200, answered.text)
  const { leaderboard, ...rest } = answered.body
  t.like(rest, { id, period: '30d', pnl_mode: 'strict', exclude_arbitrage: true, limit: 1_000 })
  const known = SWAPS.filter(({ slot }) => slot <= SLOT)
  const timestamp = Math.max(...known.map((swap) => swap.timestamp))
  t.like(rest.as_of, { slot: SLOT, timestamp, settled: false })
  const expected = ranksOf(known, { days: 30, mode: 'strict', isHonest: true })
  t.true(expected.length > 5)
  t.deepEqual(
    leaderboard,
    expected.map(({ realized, ...rank }) => ({ ...rank, realized_sol: lamportsToSol(realized) })),
  )
  const stored = await send('POST', '', key, question)
  t.is(stored.status, 200)
  t.deepEqual(stored.body, answered.body)
})

test.serial('a time means the last slot before a later swap', async (t) => {
  const key = await freeKey()
  const latestMs = Math.max(...SWAPS.map(({ timestamp }) => timestamp))
  const { body } = await send('POST', '', key, { as_of_time: latestMs, period: '1d' })
  await compute(body.id)
  const { body: answer } = await send('GET', `/${body.id}`, key)
  t.is(answer.as_of.slot, NEWEST)
  t.deepEqual(
    answer.leaderboard.map((rank) => (rank as { wallet: string }).wallet),
    ranksOf(SWAPS, { days: 1, mode: 'adjusted', isHonest: true })
      .slice(0, 100)
      .map(({ wallet }) => wallet),
  )
})

test.serial('before the first swap no wallet is ranked', async (t) => {
  const key = await freeKey()
  const { body } = await send('POST', '', key, { as_of_slot: SLOTS[0]! - 1 })
  await compute(body.id)
  const { status, body: answer } = await send('GET', `/${body.id}`, key)
  t.is(status, 200)
  t.deepEqual(answer.leaderboard, [])
})

test.serial('refuses a question without a moment, with two, and of a slot to come', async (t) => {
  const key = await freeKey()
  for (const [body, status, text] of [
    [{}, 400, /as_of_slot or as_of_time is required/],
    [{ as_of_slot: SLOT, as_of_time: 1 }, 400, /give one of them/],
    [{ as_of_slot: NEWEST + 1 }, 400, /above the newest indexed slot/],
    [{ as_of_slot: SLOT, limit: 1_001 }, 400, /limit/],
  ] as const) {
    const answer = await send('POST', '', key, body)
    t.is(answer.status, status, answer.text)
    t.regex(answer.text, text)
  }
  const refused = await under().get('/v2/pnl/leaderboard/top?as_of_slot=1')
  t.is(refused.status, 400)
  t.regex(JSON.stringify(refused.body), /AS_OF_UNSUPPORTED.*POST \/v2\/asof\/leaderboard/)
})

test.serial('a key reads and cancels its own only, and a tier has so many at once', async (t) => {
  const [own, other] = [await freeKey(), await freeKey()]
  const { id } = (await send('POST', '', own, { as_of_slot: SLOT })).body
  for (const method of ['GET', 'DELETE']) t.is((await send(method, `/${id}`, other)).status, 404)
  t.is((await send('GET', `/${id}/events`, other)).status, 404)
  const second = await send('POST', '', own, { as_of_slot: SLOT, limit: 5 })
  t.is(second.status, 429)
  t.regex(second.text, /tier \\"free\\" allows 1 leaderboard jobs at once/)
  const { status, body } = await send('DELETE', `/${id}`, own)
  t.is(status, 200)
  t.deepEqual(body as object, { id, status: 'cancelled' })
  t.is((await send('GET', `/${id}`, own)).status, 404)
})

test.serial('events end with the answer, and GraphQL reads it', async (t) => {
  const { key, send: query } = await asker(under())
  const { id } = (await send('POST', '', key, { as_of_slot: SLOT, limit: 3 })).body
  const streaming = fetch(`${under().api.url}/v2/asof/leaderboard/${id}/events`, {
    headers: { 'X-API-Key': key },
  }).then((response) => response.text())
  await compute(id)
  const last = (await streaming).trimEnd().split('\n\n').at(-1) ?? ''
  t.regex(last, /^event: done\n/)
  const { body } = await send('GET', `/${id}`, key)
  t.deepEqual(JSON.parse(last.split('\ndata: ')[1] ?? '{}'), body)
  const { data } = await query(`{ pastLeaderboard(id: "${id}") { id leaderboard { rank } } }`)
  const ranks = [{ rank: 1 }, { rank: 2 }, { rank: 3 }]
  t.deepEqual(data as unknown, { pastLeaderboard: { id, leaderboard: ranks } })
})

test.serial('one that is cancelled while it runs leaves nothing', async (t) => {
  const key = await freeKey()
  const { id } = (await send('POST', '', key, { as_of_slot: SLOT })).body
  const [locked, latch] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = inTransaction(under().db, async (db) => {
    await db.query('lock table position in access exclusive mode')
    locked.resolve()
    await latch.promise
  })
  await locked.promise
  const computing = compute(id)
  try {
    await until('the job runs', BOUND_MS, async () => (await statusOf(id)) === 'running')
    t.is((await send('DELETE', `/${id}`, key)).status, 200)
  } finally {
    latch.resolve()
    await holding
    await computing
  }
  t.is(await statusOf(id), undefined)
})

test.serial('waits for a position up to the slot that is recomputed', async (t) => {
  const key = await freeKey()
  const { db } = under()
  const { id } = (await send('POST', '', key, { as_of_slot: SLOT })).body
  await db.query('insert into position_refold values (1, 1, 0, $1)', [SLOT])
  const message = /positions up to slot \d+ are being recomputed: try again/
  await t.throwsAsync(compute(id), { message })
  t.is((await send('GET', `/${id}`, key)).status, 202)
  await db.query('delete from position_refold')
  await compute(id)
  t.is((await send('GET', `/${id}`, key)).status, 200)
})
