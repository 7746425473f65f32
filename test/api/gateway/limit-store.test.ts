/** The log of a lineage in a real Redis: whatever is owed is filed in its order, and costs what it must. */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { type LimitStore, type Owed, openLimitStore } from '../../../api/gateway/limit-store.ts'
import { testRedis } from '../../support/redis.ts'
import { ownStack } from '../../support/servers.ts'
import { SILENT } from '../api-under-test.ts'

const CAP = 1_000_000
const PREFIX = 'test:'
const ANSWER_MS = 60_000

async function storeOn(t: ExecutionContext, redisUrl: string): Promise<LimitStore> {
  const store = await openLimitStore({ redisUrl, prefix: PREFIX, answerMs: ANSWER_MS }, SILENT)
  t.teardown(() => store.end())
  return store
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
  const { redis, redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const store = await storeOn(t, redisUrl)
  const count = fc.integer({ min: 1, max: 9 })
  // Far from where runs leave the window.
  const owed = fc.array(fc.record({ age: fc.nat({ max: 2_000 }), count }), { maxLength: 12 })
  const takings = fc.array(fc.record({ owed, wanted: fc.nat({ max: 5 }) }), { maxLength: 8 })
  let lineages = 0
  await fc.assert(
    fc.asyncProperty(takings, async (taken) => {
      const lineage = `lineage ${++lineages}`
      let sum = 0
      for (const { owed, wanted } of taken) {
        const before = await logOf(redis, lineage)
        const answer = await take(store, lineage, owed, wanted)
        sum += wanted + owed.reduce((all, each) => all + each.count, 0)
        t.is(answer.sum, sum)
        t.is(answer.admitted, wanted)
        const at = Number(await redis.hget(`${PREFIX}{${lineage}}:state`, 'at'))
        const aged = new Map(before)
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

/** How often the server carried out each command on lists and keys, those of scripts included. */
async function callsOf(redis: Redis): Promise<{ rpush: number; all: number }> {
  const told = await redis.info('commandstats')
  const calls = [...told.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm)].filter(([, name]) =>
    ['del', 'lindex', 'lpop', 'lrange', 'lset', 'rpop', 'rpush'].includes(name!),
  )
  const sum = (of: typeof calls) => of.reduce((all, [, , count]) => all + Number(count), 0)
  return { rpush: sum(calls.filter(([, name]) => name === 'rpush')), all: sum(calls) }
}

test('what is owed since a moment ago leaves the rest of a long log where it is', async (t) => {
  // A server of its own: it counts what all ask of it.
  const { redisUrl } = await ownStack(t)
  const redis = new Redis(redisUrl)
  t.teardown(() => redis.disconnect())
  const store = await storeOn(t, redisUrl)
  const lineage = 'long'
  const long = Array.from({ length: 2_000 }, (_, n) => ({ age: 3_000 - n, count: 1 }))
  await take(store, lineage, long, 1)
  const before = await callsOf(redis)
  const owed = [
    { age: 3, count: 2 },
    { age: 1, count: 1 },
  ]
  const { sum } = await take(store, lineage, owed, 1)
  t.is(sum, 2_005)
  const after = await callsOf(redis)
  t.true(after.rpush > before.rpush)
  // Three runs at most are younger, the first taking's among them.
  t.true(after.all - before.all < 30, `${after.all - before.all} commands`)
})
