// The age limit of a leaderboard, the computation of the next, and the answer to a request without one. The window is
// treated as large: requests read stored rankings only.

import test, { type ExecutionContext } from 'ava'
import type { ApiOptions } from '../../../../api/main.ts'
import type { JobFunction } from '../../../../workers/jobs/job-function.ts'
import { makeLeaderboards, makeRanking } from '../../../../workers/jobs/leaderboard.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { trader } from '../../../support/market/sample-swap.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'
import { swapsOf } from '../pnl/ledger-swaps.ts'

const PATH = '/v2/pnl/leaderboard/top'
const ALWAYS = { directRowsMax: 0 }

async function withSwap(t: ExecutionContext, options: Partial<ApiOptions>): Promise<ApiUnderTest> {
  const under = await apiUnderTest(t, { ...ALWAYS, ...options })
  await insertLedger(under.db, swapsOf([{ user: 1, mint: 1, isBuy: true, tokens: 1, sol: 1 }]))
  return under
}

/** A ranking of one wallet without trades in the tables: an answer with it was not computed from them. */
async function storeRanking({ db }: ApiUnderTest, ageMs: number): Promise<void> {
  await db.query('insert into wallet (address) values ($1)', [trader(7)])
  await db.query(
    `insert into leaderboard
     select '7d', (extract(epoch from clock_timestamp()) * 1000 - $1)::bigint, 0, 0, 1`,
    [ageMs],
  )
  await db.query(
    `insert into leaderboard_page
     select '7d', 'adjusted', 0, 0, 1, array[id], '{false}', '{5000000000}', '{1}', '{0}', '{0}'
     from wallet where address = $1`,
    [trader(7)],
  )
}

const walletsOf = ({ body }: { body: Record<string, unknown> }): unknown =>
  (body.leaderboard as { wallet: string }[]).map(({ wallet }) => wallet)

const secondsStored = ({ headers }: { headers: Headers }): number =>
  Number(/max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1])

test('serves a ranking younger than 300 s, and caches its answer for the rest', async (t) => {
  const under = await withSwap(t, {})
  await storeRanking(under, 200_000)
  const first = await under.get(PATH)
  t.deepEqual(walletsOf(first), [trader(7)])
  t.is(first.headers.get('X-Cache'), 'miss')
  // Less than the remainder: a loaded machine needs time.
  t.true(secondsStored(first) > 0 && secondsStored(first) <= 100, String(secondsStored(first)))
  await under.db.query('truncate leaderboard, leaderboard_page')
  const second = await under.get(PATH)
  t.is(second.headers.get('X-Cache'), 'hit')
  t.deepEqual(walletsOf(second), [trader(7)])
})

test('one of 300 s is not served: a request gets it made, and many get it made once', async (t) => {
  const bench = openJobBench(t)
  let made = 0
  // A request after the job's end runs it again: it finds the ranking fresh.
  const counted: JobFunction<'leaderboard'> = async ({ period }, deps) => {
    if (period !== undefined && (await makeRanking(deps.db, period, ALWAYS))) made += 1
  }
  const under = await withSwap(t, { jobs: bench.queue() })
  await storeRanking(under, 300_000)
  // The requests have different answers, so that no cache makes them one.
  const requested = [1, 2, 3, 4].map((limit) => under.get(`${PATH}?limit=${limit}`))
  bench.work({ databaseUrl: under.databaseUrl, functions: { leaderboard: counted } })
  for (const answer of await Promise.all(requested)) {
    t.is(answer.status, 200)
    t.deepEqual(walletsOf(answer), [trader(1)])
    t.true(secondsStored(answer) > 100, String(secondsStored(answer)))
  }
  t.is(made, 1)
})

test('without jobs a large window is 503 with Retry-After; without job workers 504 at the deadline', async (t) => {
  const alone = await withSwap(t, {})
  const refused = await alone.get(PATH)
  t.is(refused.status, 503)
  t.like(refused.body, { success: false, error: { code: 'UNAVAILABLE' } })
  t.is(refused.headers.get('Retry-After'), '1')
  const waiting = await withSwap(t, { jobs: openJobBench(t).queue(), deadlineMs: 3_000 })
  const late = await waiting.get(PATH)
  t.is(late.status, 504)
  t.like(late.body, { success: false, error: { code: 'GATEWAY_TIMEOUT' } })
})

test('a ranking is made by one at a time, and not again while it is young', async (t) => {
  const { db } = await withSwap(t, {})
  const made = await Promise.all([1, 2, 3].map(() => makeRanking(db, '30d', ALWAYS)))
  t.deepEqual(made.sort(), [false, false, true])
  await db.query('update leaderboard set computed_ms = computed_ms - 60000')
  t.true(await makeRanking(db, '30d', ALWAYS))
})

test('ignores a ranking dated ahead of a clock that was set back', async (t) => {
  const under = await withSwap(t, {})
  await storeRanking(under, -3_600_000)
  t.is((await under.get(PATH)).status, 503)
  t.true(await makeRanking(under.db, '7d', ALWAYS))
  const made = await under.get(PATH)
  t.deepEqual(walletsOf(made), [trader(1)])
  t.true(secondsStored(made) > 0)
  t.false(await makeRanking(under.db, '7d', ALWAYS))
})

test('stores no ranking of a window with few or no trades', async (t) => {
  const { db, ...under } = await apiUnderTest(t, { directRowsMax: 0 })
  t.false(await makeRanking(db, '7d', ALWAYS))
  t.deepEqual(walletsOf(await under.get(PATH)), [])
  await insertLedger(db, swapsOf([{ user: 1, mint: 1, isBuy: true, tokens: 1, sol: 1 }]))
  const { signal } = new AbortController()
  const { log } = openJobBench(t).recording
  await makeLeaderboards({}, { db, log }, signal)
  const { rows } = await db.query('select from leaderboard')
  t.is(rows.length, 0)
})
