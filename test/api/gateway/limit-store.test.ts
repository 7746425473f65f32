/** The log of a lineage in a real Redis: whatever is owed is filed in its order, and costs what it must. */
import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { Redis } from 'ioredis'
import { type LimitStore, type Owed, openLimitStore } from '../../../api/gateway/limit-store.ts'
import { testRedis } from '../../support/redis.ts'
import { SILENT } from '../api-under-test.ts'

const CAP = 1_000_000
const PREFIX = 'test:'
const ANSWER_MS = 60_000

async function storeOn(t: ExecutionContext): Promise<{ store: LimitStore; redis: Redis }> {
  const { redis, redisUrl, drop } = await testRedis()
  const store = await openLimitStore({ redisUrl, prefix: PREFIX, answerMs: ANSWER_MS }, SILENT)
  t.teardown(async () => {
    store.end()
    await drop()
  })
  return { store, redis }
}

async function take(store: LimitStore, lineage: string, owed: readonly Owed[], wanted: number) {
  const answered = await store.take({ lineage, cap: CAP, wanted, owed })
  if (answered?.kind !== 'taken') throw new Error('Redis did not answer')
  return answered.taken
}

const logOf = async (redis: Redis, lineage: string): Promise<[quantum: number, count: number][]> =>
  (await redis.lrange(`${PREFIX}{${lineage}}:log`, 0, -1)).map((run) => {
    const [quantum, count] = run.split(':').map(Number)
    return [quantum!, count!]
  })

test('a log is in the order of time, a run a quantum, and holds all that was let in and owed', async (t) => {
  const { store, redis } = await storeOn(t)
  const count = fc.integer({ min: 1, max: 9 })
  // Far from where runs leave the window.
  const owed = fc.array(fc.record({ age: fc.nat({ max: 2_000 }), count }), { maxLength: 12 })
  const takings = fc.array(fc.record({ owed, wanted: fc.nat({ max: 5 }) }), { maxLength: 8 })
  let lineages = 0
  await fc.assert(
    fc.asyncProperty(takings, async (taken) => {
      const lineage = `lineage ${++lineages}`
      let sum = 0
      let aged = new Map<number, number>()
      for (const { owed, wanted } of taken) {
        const before = await logOf(redis, lineage)
        const answer = await take(store, lineage, owed, wanted)
        sum += wanted + owed.reduce((all, each) => all + each.count, 0)
        t.is(answer.sum, sum)
        t.is(answer.admitted, wanted)
        const at = Number(await redis.hget(`${PREFIX}{${lineage}}:state`, 'at'))
        aged = new Map(before)
        const add = (quantum: number, own: number) =>
          own > 0 && aged.set(quantum, (aged.get(quantum) ?? 0) + own)
        for (const each of owed) add(at - each.age, each.count)
        add(at, wanted)
        t.deepEqual(
          await logOf(redis, lineage),
          [...aged].sort(([a], [b]) => a - b),
        )
      }
    }),
    { numRuns: 60 },
  )
})

test('what is owed since a moment ago leaves the rest of a long log where it is', async (t) => {
  const { store, redis } = await storeOn(t)
  const lineage = 'long'
  const long = Array.from({ length: 2_000 }, (_, n) => ({ age: 3_000 - n, count: 1 }))
  await take(store, lineage, long, 1)
  const monitor = await redis.monitor()
  t.teardown(() => monitor.disconnect())
  const done: string[] = []
  monitor.on('monitor', (_, [name = '', key = '']: string[]) => {
    if (key.startsWith(`${PREFIX}{${lineage}}`)) done.push(name.toLowerCase())
    if (key === 'test:end') monitor.emit('heard')
  })
  const { sum } = await take(
    store,
    lineage,
    [
      { age: 3, count: 2 },
      { age: 1, count: 1 },
    ],
    1,
  )
  t.is(sum, 2_005)
  const heard = once(monitor, 'heard')
  await redis.get('test:end')
  await heard
  t.true(done.includes('rpush'))
  // Three runs at most are younger, the first taking's among them.
  t.true(done.length < 30, `${done.length}: ${done.slice(0, 30).join(' ')}`)
})
