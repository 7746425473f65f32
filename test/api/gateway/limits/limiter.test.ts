// The limiter over a real Redis: against an exact log of the requests that three processes admitted and refused, with
// Redis stopped in the middle, frozen, and with its memory lost.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { openLimitStore } from '../../../../api/gateway/limits/limit-store.ts'
import { createLimiter, type Limiter } from '../../../../api/gateway/limits/limiter.ts'
import { holdsWithin } from '../../../../deploy/local/waiting.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'
import { requestedSeed } from '../../../support/seed.ts'
import { testRedis } from '../../../support/servers/redis.ts'
import { ownStack } from '../../../support/servers/servers.ts'

type Requested = { sentAt: number; answeredAt: number; isAdmitted: boolean }

const CAP = 300
const WINDOW_QUANTA = 150
const WINDOW_MS = 1_500
const QUANTUM_MS = 10
const BURSTS_MS = 8_000
/** With time for a machine that has much else to do. */
const ANSWER_MS = 2_000
/** A Redis that is away or frozen would not answer in any time. */
const TIMEOUT_MS = 60_000

test('bursts of three processes: no window holds more than the cap, no request is refused below it', async (t) => {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const seed = requestedSeed() ?? Date.now() % 1_000_000
  t.log(`seed ${seed}`)
  const program = join(import.meta.dirname, 'limit-burst.ts')
  const logs = await Promise.all(
    [0, 1, 2].map(async (number) => {
      const given = [own.redisUrl, seed + number, CAP, WINDOW_QUANTA, BURSTS_MS].map(String)
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...given], {
        maxBuffer: 64 * 1024 * 1024,
      })
      return JSON.parse(stdout) as [number, number, boolean][]
    }),
  )
  const requested: Requested[] = logs
    .flat()
    .map(([sentAt, answeredAt, isAdmitted]) => ({ sentAt, answeredAt, isAdmitted }))
  const admitted = requested.filter(({ isAdmitted }) => isAdmitted)
  const refused = requested.filter(({ isAdmitted }) => !isAdmitted)
  t.true(admitted.length > 3 * CAP && refused.length > CAP, 'or the bursts prove nothing')
  // Each was judged at some moment between being sent and being answered.
  const surelyWithin = (from: number): number =>
    admitted.filter((each) => each.sentAt >= from && each.answeredAt <= from + WINDOW_MS).length
  t.true(admitted.every(({ sentAt }) => surelyWithin(sentAt) <= CAP))
  // Exact to a quantum: a request may count up to 10 ms longer.
  const maybeCounted = ({ sentAt, answeredAt }: Requested): number =>
    admitted.filter(
      (each) => each.answeredAt >= sentAt - WINDOW_MS - QUANTUM_MS && each.sentAt <= answeredAt,
    ).length
  const wronged = refused.filter((each) => maybeCounted(each) < CAP)
  t.is(wronged.length, 0, `${wronged.length} of ${refused.length} were refused below the cap`)
})

const LINEAGE = 'one'
/** Ten minutes: no request leaves the window while a server is stopped and started again. */
const LONG_QUANTA = 60_000

async function limiterOn(
  t: ExecutionContext,
  redisUrl: string,
  answerMs = ANSWER_MS,
): Promise<Limiter> {
  const store = await openLimitStore(
    { redisUrl, prefix: 'test:', answerMs, windowQuanta: LONG_QUANTA },
    SILENT,
  )
  const limiter = createLimiter({
    ...{ store, instances: () => 2, now: () => performance.now() },
    windowQuanta: LONG_QUANTA,
  })
  t.teardown(() => limiter.end())
  return limiter
}

/** How many of so many are let in, one after another, how many were not answered, and the longest that one waited. */
async function take(limiter: Limiter, count: number, cap = 100) {
  let admitted = 0
  let unheard = 0
  let longestMs = 0
  for (let each = 0; each < count; each++) {
    const requestedAt = performance.now()
    if ((await limiter.take(LINEAGE, cap)).isAdmitted) admitted += 1
    const tookMs = performance.now() - requestedAt
    if (tookMs >= ANSWER_MS) unheard += 1
    longestMs = Math.max(longestMs, tookMs)
  }
  return { admitted, unheard, longestMs }
}

const receives = (limiter: Limiter) => async (): Promise<boolean> => {
  // A cap of 0: it sends a request without a count.
  await limiter.take('probe', 0)
  return !limiter.isDegraded()
}

test('Redis stopped in the middle: each continues with its share, and its admitted requests count afterwards', async (t) => {
  const { redisUrl, servers } = await ownStack(t)
  const [one, other] = [await limiterOn(t, redisUrl), await limiterOn(t, redisUrl)]
  t.true(await holdsWithin(60_000, receives(one)))
  t.true(await holdsWithin(60_000, receives(other)))
  t.is((await take(one, 40)).admitted, 40)
  t.is((await take(other, 10)).admitted, 10)
  t.false(one.isDegraded())
  await servers.redis.stop()
  const alone = await take(one, 30)
  t.true(one.isDegraded())
  t.is(alone.admitted, 10, 'half of the cap, of which 40 are used')
  t.true(alone.longestMs < TIMEOUT_MS, `${alone.longestMs} ms`)
  t.is((await take(other, 20)).admitted, 20)
  await servers.redis.start()
  t.true(await holdsWithin(60_000, receives(one)))
  t.true(await holdsWithin(60_000, receives(other)))
  // 50 of one and 30 of the other are known to both now, whether Redis retained its log or not.
  await take(one, 1)
  await take(other, 1)
  const { admitted } = await take(one, 40)
  t.is(admitted, 18)
  t.is((await take(other, 5)).admitted, 0)
})

test('reports counts to a Redis that lost them before it admits a request', async (t) => {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const limiter = await limiterOn(t, own.redisUrl, TIMEOUT_MS)
  t.is((await take(limiter, 90)).admitted, 90)
  await own.redis.flushdb()
  const requested = Array.from({ length: 50 }, () => limiter.take(LINEAGE, 100))
  const decisions = await Promise.all(requested)
  t.is(decisions.filter(({ isAdmitted }) => isAdmitted).length, 10)
  t.deepEqual(
    decisions.slice(0, 11).map(({ used }) => used),
    [91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 100],
  )
})

test('a known lineage has room up to half of its cap, pending requests included', async (t) => {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const [one, other] = [
    await limiterOn(t, own.redisUrl, TIMEOUT_MS),
    await limiterOn(t, own.redisUrl, TIMEOUT_MS),
  ]
  t.false(one.hasRoom(LINEAGE, 100), 'not known')
  t.is((await take(one, 30)).admitted, 30)
  t.true(one.hasRoom(LINEAGE, 100))
  t.true(one.hasRoom(LINEAGE, 61))
  t.false(one.hasRoom(LINEAGE, 60))
  const requesting = Array.from({ length: 20 }, () => one.take(LINEAGE, 100))
  t.false(one.hasRoom(LINEAGE, 100), '30 and 20 that ask')
  await Promise.all(requesting)
  t.is((await take(other, 1)).admitted, 1)
  t.false(other.hasRoom(LINEAGE, 100), 'all that others let in counts')
  t.true(other.hasRoom(LINEAGE, 103))
  t.false(one.hasRoom('another', 100))
})

test('a frozen Redis delays a few requests shortly, and counts no request twice when it thaws', async (t) => {
  const { redisUrl, servers } = await ownStack(t)
  const limiter = await limiterOn(t, redisUrl)
  t.true(await holdsWithin(60_000, receives(limiter)))
  t.is((await take(limiter, 5)).admitted, 5)
  servers.redis.kill('SIGSTOP')
  try {
    const frozen = await take(limiter, 40)
    t.is(frozen.admitted, 40)
    t.true(frozen.longestMs < TIMEOUT_MS, `${frozen.longestMs} ms`)
  } finally {
    servers.redis.kill('SIGCONT')
  }
  t.true(await holdsWithin(60_000, receives(limiter)))
  const { used } = await limiter.take(LINEAGE, 100)
  // Unanswered ones, too: they are reported again unchanged.
  t.is(used, 46)
})

test('a clock that is set back neither frees nor blocks a lineage', async (t) => {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const limiter = await limiterOn(t, own.redisUrl, TIMEOUT_MS)
  t.is((await take(limiter, 60)).admitted, 60)
  // All was reported by a clock an hour ahead of the present one.
  const hour = 360_000
  const [log, state] = ['test:{one}:log', 'test:{one}:state']
  const runs = await own.redis.lrange(log, 0, -1)
  await own.redis.del(log)
  for (const run of runs) {
    const [quantum = '', count] = run.split(':')
    await own.redis.rpush(log, `${Number(quantum) + hour}:${count}`)
  }
  await own.redis.hincrby(state, 'at', hour)
  const decision = await limiter.take(LINEAGE, 100)
  t.is(decision.used, 61)
  t.true(decision.resetSeconds <= 61)
  t.is(Number(await own.redis.hget(state, 'ahead')) > hour - 1_000, true)
  t.is((await take(limiter, 50)).admitted, 39)
})
