/**
 * The limiter over a real Redis whose answers come late, never, or after later requests: an admitted request counts
 * once, whatever answer arrived.
 */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import {
  type Answered,
  type LimitStore,
  openLimitStore,
  type Taking,
} from '../../../api/gateway/limits/limit-store.ts'
import { createLimiter, type Limiter } from '../../../api/gateway/limits/limiter.ts'
import { SILENT } from '../../support/api/api-under-test.ts'
import { testRedis } from '../../support/servers/redis.ts'

/**
 * Fates of a request. late: Redis counts, the answer is lost. lost: it never reaches Redis. delayed: unanswered, and it
 * reaches Redis after the next request.
 */
const WAYS = ['heard', 'late', 'lost', 'delayed'] as const
type Way = (typeof WAYS)[number]

const ANSWER_MS = 60_000
const LINEAGE = 'one'

/** A store whose requests fare by `way`, which may be changed. */
function unreliable(store: LimitStore) {
  const link = {
    way: (_: Taking): Way => 'heard',
    delayed: [] as Taking[],
    async arrive(): Promise<void> {
      for (const taking of link.delayed.splice(0)) await store.take(taking)
    },
  }
  const take = async (taking: Taking): Promise<Answered | undefined> => {
    const way = link.way(taking)
    if (way === 'delayed') link.delayed.push(taking)
    if (way === 'lost' || way === 'delayed') return undefined
    const answered = await store.take(taking)
    return way === 'heard' ? answered : undefined
  }
  return { link, store: { ...store, take } }
}

async function limiterOn(t: ExecutionContext, redisUrl: string, instances = 2) {
  const opened = await openLimitStore({ redisUrl, prefix: 'test:', answerMs: ANSWER_MS }, SILENT)
  t.teardown(() => opened.end())
  const { link, store } = unreliable(opened)
  const now = () => performance.now()
  const make = () => createLimiter({ store, instances: () => instances, now })
  return { link, make, limiter: make() }
}

/** How many of so many concurrent requests are admitted. */
async function burst(limiter: Limiter, lineage: string, cap: number, count: number) {
  const requested = Array.from({ length: count }, () => limiter.take(lineage, cap))
  return (await Promise.all(requested)).filter(({ isAdmitted }) => isAdmitted).length
}

test('counts an owed request once when the answer of Redis comes late', async (t) => {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const { link, limiter } = await limiterOn(t, own.redisUrl)
  link.way = () => 'lost'
  t.is(await burst(limiter, LINEAGE, 1_200, 600), 600)
  // Redis is back. Calls with owed counts or a request get late answers, others timely ones.
  link.way = ({ owed, wanted }) => (owed.length > 0 || wanted > 0 ? 'late' : 'heard')
  for (let each = 0; each < 5; each++) await limiter.take(LINEAGE, 1_200)
  link.way = () => 'heard'
  const { used, isAdmitted } = await limiter.take(LINEAGE, 1_200)
  t.true(isAdmitted)
  t.is(used, 601)
})

test('does not count requests that Redis admitted late and the process refused', async (t) => {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const { link, limiter } = await limiterOn(t, own.redisUrl)
  t.is(await burst(limiter, LINEAGE, 100, 50), 50)
  link.way = () => 'late'
  t.is(await burst(limiter, LINEAGE, 100, 20), 0, 'its share is used up')
  link.way = () => 'heard'
  const { used, isAdmitted } = await limiter.take(LINEAGE, 100)
  t.true(isAdmitted)
  t.is(used, 51)
})

test('reports all counts once to a Redis that lost them during an outage', async (t) => {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const { link, limiter } = await limiterOn(t, own.redisUrl)
  t.is(await burst(limiter, LINEAGE, 100, 20), 20)
  link.way = () => 'late'
  t.is(await burst(limiter, LINEAGE, 100, 10), 10)
  await own.redis.flushdb()
  t.is(await burst(limiter, LINEAGE, 100, 10), 10)
  link.way = () => 'heard'
  t.is((await limiter.take(LINEAGE, 100)).used, 41)
})

test('requests admitted by two processes count once each, with any lost answers', async (t) => {
  const own = await testRedis()
  t.teardown(() => own.drop())
  const processes = [await limiterOn(t, own.redisUrl), await limiterOn(t, own.redisUrl)]
  const step = fc.record({
    of: fc.nat({ max: 1 }),
    count: fc.integer({ min: 1, max: 30 }),
    ways: fc.array(fc.constantFrom(...WAYS), { maxLength: 3 }),
    arrives: fc.boolean(),
  })
  let lineages = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const lineage = `lineage ${++lineages}`
      const limiters = processes.map(({ make }) => make())
      let admitted = 0
      for (const { of, count, ways, arrives } of steps) {
        const { link } = processes[of]!
        const left = [...ways]
        link.way = () => left.shift() ?? 'heard'
        admitted += await burst(limiters[of]!, lineage, 200, count)
        if (arrives) await link.arrive()
      }
      let used = 0
      for (const [index, limiter] of limiters.entries()) {
        const { link } = processes[index]!
        link.way = () => 'heard'
        // A cap of 0: it reports owed counts and admits no request.
        used = (await limiter.take(lineage, 0)).used
        await link.arrive()
      }
      t.is(used, admitted)
      t.is(Number((await own.redis.hget(`test:{${lineage}}:state`, 'sum')) ?? 0), admitted)
      const runs = await own.redis.lrange(`test:{${lineage}}:log`, 0, -1)
      const counts = runs.map((run) => Number(run.split(':')[1]))
      t.is(
        counts.reduce((sum, each) => sum + each, 0),
        admitted,
      )
      t.true(counts.every((each) => each > 0))
    }),
    { numRuns: 150 },
  )
})
