// /wallets/{wallet}/tags before and after its profile: a real API, a real queue, a real job process.

import test, { type ExecutionContext } from 'ava'
import { type ApiUnderTest, apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'
import { until } from '../../../support/workers/pipeline.ts'
import { EXPECTED, insertKnownWallets } from './known-wallets.ts'

const BOUND_MS = 60_000
const under = apiForFile()

type Tags = {
  wallet: string
  tags: { tag: string; score: number; mint: string; computed_at: number }[]
  computed_at: number
}

async function tagsOf({ get }: Pick<ApiUnderTest, 'get'>, user: number): Promise<Tags> {
  const { status, body } = await get(`/wallets/${trader(user)}/tags`)
  if (status !== 200) throw new Error(`${status}`)
  return body as unknown as Tags
}

const never = (user: number): Tags => ({ wallet: trader(user), tags: [], computed_at: 0 })

/** An API with jobs, so far without a worker. */
async function withJobs(t: ExecutionContext) {
  const bench = openJobBench(t)
  const queue = bench.queue()
  const api = await apiUnderTest(t, { jobs: queue })
  await insertKnownWallets(api.db)
  const waiting = async (): Promise<number> => {
    const depths = await queue.depths()
    return depths.find(({ name }) => name === 'wallet-tags')?.waiting ?? -1
  }
  return { bench, api, waiting }
}

test('a first read is computed_at 0 and requests one job; then the profile is stored', async (t) => {
  const { bench, api, waiting } = await withJobs(t)
  t.deepEqual(await tagsOf(api, 2), never(2))
  t.deepEqual(await tagsOf(api, 2), never(2))
  await until('the profile was asked for', BOUND_MS, async () => (await waiting()) > 0)
  t.is(await waiting(), 1)
  const requestedMs = Date.now()
  bench.work({ databaseUrl: api.databaseUrl })
  let read = await tagsOf(api, 2)
  await until('the profile is there', BOUND_MS, async () => {
    read = await tagsOf(api, 2)
    return read.computed_at > 0
  })
  t.deepEqual(
    read.tags.map(({ tag, score, mint: of }) => `${tag} ${of} ${score}`),
    EXPECTED[2],
  )
  // Seconds, of the profile and of each tag alike.
  t.true(read.computed_at >= Math.floor(requestedMs / 1000) - 5)
  t.true(read.computed_at <= Math.ceil(Date.now() / 1000))
  for (const { computed_at } of read.tags) t.is(computed_at, read.computed_at)
  t.deepEqual(Object.keys(read), ['wallet', 'tags', 'computed_at'])
})

test('one entry a tag and mint: smart money with five mints has five', async (t) => {
  const { bench, api } = await withJobs(t)
  bench.work({ databaseUrl: api.databaseUrl })
  await until('the profile is there', BOUND_MS, async () => {
    return (await tagsOf(api, 10)).computed_at > 0
  })
  const { tags } = await tagsOf(api, 10)
  t.deepEqual(
    tags.map(({ tag, mint: of }) => [tag, of]),
    [11, 12, 13, 14, 15].map((n) => ['smart_money', mint(n)]),
  )
})

test('requests no profile while one is fresh, and another when it is old', async (t) => {
  const { api, waiting } = await withJobs(t)
  const profiledAt = (ms: number) =>
    api.db.query(
      `insert into wallet_profile select id, $2 from wallet where address = $1
       on conflict (wallet_id) do update set computed_ms = excluded.computed_ms`,
      [trader(4), ms],
    )
  const atMs = Date.now()
  await profiledAt(atMs)
  t.is((await tagsOf(api, 4)).computed_at, Math.floor(atMs / 1000))
  // One that never traded cannot be profiled.
  t.deepEqual(await tagsOf(api, 77), never(77))
  t.is(await waiting(), 0)
  await profiledAt(atMs - 3_600_000)
  await tagsOf(api, 4)
  await until('the profile was asked for', BOUND_MS, async () => (await waiting()) === 1)
})

test('without jobs tags are read all the same', async (t) => {
  await insertKnownWallets(under().db)
  t.deepEqual(await tagsOf(under(), 1), never(1))
})

test('with Redis away tags are read all the same', async (t) => {
  const jobs = openJobBench(t).queue()
  await jobs.close()
  const api = await apiUnderTest(t, { jobs })
  await insertKnownWallets(api.db)
  const reported = () =>
    api.lines.filter((line) => line.includes('failed to enqueue a wallet profile'))
  t.deepEqual(await tagsOf(api, 3), never(3))
  await until('the log says so', BOUND_MS, () => reported().length > 0)
  // Once for any number of requests.
  for (const user of [3, 4, 5]) t.deepEqual(await tagsOf(api, user), never(user))
  t.is(reported().length, 1)
})

test('answers 400 for an invalid wallet, 401 without a key', async (t) => {
  const { status, body } = await under().get('/wallets/whoever/tags')
  t.is(status, 400)
  t.like(body, { success: false, error: { code: 'INVALID_PARAM' } })
  const closed = await under().call(`/wallets/${trader(1)}/tags`)
  t.is(closed.status, 401)
  t.like(closed.body, { success: false, error: { code: 'UNAUTHORIZED' } })
})
