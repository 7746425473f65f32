/** Jobs over a real Redis: shared by requesters, retried when they fail, never waited for in vain. */
import test from 'ava'
import { JOBS, JobFailed, JobsUnavailable } from '../../../streams/jobs/job.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { ownStack, testServers } from '../../support/servers/servers.ts'
import { openJobBench } from '../../support/workers/jobs.ts'
import { until } from '../../support/workers/pipeline.ts'

const WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
const BOUND_MS = 60_000
const { databaseUrl } = testServers()
const bound = (): AbortSignal => AbortSignal.timeout(BOUND_MS)

test('concurrent equal requests of two processes share one job', async (t) => {
  const bench = openJobBench(t)
  const latch = Promise.withResolvers<void>()
  let runs = 0
  const queues = [bench.queue(), bench.queue()]
  const requested = queues.flatMap((queue) => [
    queue.requestAndWait('chart-backfill', { wallet: WALLET }, bound()),
    queue.requestAndWait('chart-backfill', { wallet: WALLET }, bound()),
  ])
  const reported = queues.map((queue) => queue.request('chart-backfill', { wallet: WALLET }))
  const work = async ({ wallet }: { wallet: string }): Promise<void> => {
    runs += 1
    t.is(wallet, WALLET)
    await latch.promise
  }
  for (const _ of [1, 2]) bench.work({ databaseUrl, functions: { 'chart-backfill': work } })
  t.teardown(latch.resolve)
  await until('the job runs', BOUND_MS, () => runs > 0)
  // Their requests were last: all earlier ones are known.
  await Promise.all(reported)
  latch.resolve()
  await Promise.all(requested)
  t.is(runs, 1)
  // Done: a new request runs it again.
  await bench.queue().requestAndWait('chart-backfill', { wallet: WALLET }, bound())
  t.is(runs, 2)
})

test('retries a failing job, and then stores it with its reason', async (t) => {
  const bench = openJobBench(t)
  let runs = 0
  const work = async (): Promise<void> => {
    runs += 1
    throw new Error(`no luck for the ${runs}th time`)
  }
  bench.work({ databaseUrl, functions: { 'chart-backfill': work } })
  const queue = bench.queue()
  const requested = queue.requestAndWait('chart-backfill', { wallet: WALLET }, bound())
  const { message } = await t.throwsAsync(requested, { instanceOf: JobFailed })
  t.is(message, 'no luck for the 5th time')
  t.is(runs, 5)
  const depth = (await queue.depths()).find(({ name }) => name === 'chart-backfill')
  t.like(depth, { waiting: 0, active: 0, delayed: 0, failed: 1 })
  t.like(depth?.newest_failure, {
    reason: 'no luck for the 5th time',
    payload: JSON.stringify({ wallet: WALLET }),
    attempts: 5,
  })
  // The failed job does not block the next request.
  const again = queue.requestAndWait('chart-backfill', { wallet: WALLET }, bound())
  await t.throwsAsync(again, { message: 'no luck for the 10th time' })
})

test('waits until the deadline for a job without a worker', async (t) => {
  const queue = openJobBench(t).queue()
  const deadline = AbortSignal.timeout(300)
  const requested = queue.requestAndWait('chart-backfill', { wallet: WALLET }, deadline)
  await t.throwsAsync(requested, { name: 'TimeoutError' })
})

test('recreates schedules after a flush of Redis', async (t) => {
  const bench = openJobBench(t)
  let runs = 0
  const work = async (): Promise<void> => {
    runs += 1
  }
  bench.work({ databaseUrl, functions: { leaderboard: work } })
  // A minute may pass at any moment, and with it the schedule's time.
  await until('the schedule asks for a first run', BOUND_MS, () => runs > 0)
  const before = runs
  await bench.redis.del(await bench.redis.keys(`${bench.prefix}*`))
  await until('the schedule asks again', BOUND_MS, () => runs > before)
  const scheduled = runs
  await bench.queue().requestAndWait('leaderboard', {}, bound())
  t.true(runs > scheduled)
})

test('replaces a schedule that a clock ahead wrote', async (t) => {
  const bench = openJobBench(t)
  let runs = 0
  const work = async (): Promise<void> => {
    runs += 1
  }
  const working = { databaseUrl, functions: { leaderboard: work } }
  const first = bench.work(working)
  await until('the schedule asks for a first run', BOUND_MS, () => runs > 0)
  const leaderboard = bench
    .queue()
    .queues()
    .find(({ name }) => name === 'leaderboard')!
  const every = JOBS.leaderboard.everyMs!
  const nextMs = async () => (await leaderboard.getJobScheduler('leaderboard'))?.next ?? 0
  await until('the next run is known', BOUND_MS, async () => (await nextMs()) > Date.now())
  await first.stop()
  await leaderboard.removeJobScheduler('leaderboard')
  const startDate = Date.now() + 5 * 3_600_000
  await leaderboard.upsertJobScheduler('leaderboard', { every, startDate }, { name: 'leaderboard' })
  t.true((await nextMs()) >= startDate)
  const before = runs
  bench.work(working)
  await until('the schedule asks at once', BOUND_MS, () => runs > before)
  await until('the next run is near', BOUND_MS, async () => (await nextMs()) <= Date.now() + every)
})

test('a request fails at once while Redis is away, and succeeds after its return', async (t) => {
  const stack = await ownStack(t)
  const { drop, databaseUrl: url } = await testDatabase(stack.databaseUrl)
  t.teardown(drop)
  const bench = openJobBench(t, stack.redisUrl)
  const queue = bench.queue()
  let latch: Promise<void> | undefined
  let runs = 0
  const work = async (): Promise<void> => {
    runs += 1
    await latch
  }
  bench.work({ databaseUrl: url, functions: { 'wallet-tags': work }, lockMs: 1_000 })
  await queue.requestAndWait('wallet-tags', { wallet: WALLET }, bound())
  const before = runs
  const { promise, resolve } = Promise.withResolvers<void>()
  latch = promise
  const hanging = queue.requestAndWait('wallet-tags', { wallet: WALLET }, bound())
  hanging.catch(() => {})
  await until('the job runs', BOUND_MS, () => runs > before)
  await stack.servers.redis.stop()
  await t.throwsAsync(hanging, { instanceOf: JobsUnavailable })
  const requestedAt = performance.now()
  await t.throwsAsync(queue.request('wallet-tags', {}), { instanceOf: JobsUnavailable })
  await t.throwsAsync(queue.depths(), { instanceOf: JobsUnavailable })
  t.true(performance.now() - requestedAt < BOUND_MS)
  latch = undefined
  resolve()
  await stack.servers.redis.start()
  const isBack = (): Promise<boolean> =>
    queue.requestAndWait('wallet-tags', {}, bound()).then(
      () => true,
      () => false,
    )
  await until('jobs are done again', BOUND_MS, isBack)
  // The interrupted one blocks no other.
  await queue.requestAndWait('wallet-tags', { wallet: WALLET }, bound())
})
