/** The log of a lineage in a real Redis: owed counts are stored in order, at their exact cost. */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import {
  type LimitStore,
  type Owed,
  openLimitStore,
} from '../../../../api/gateway/limits/limit-store.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'
import { testRedis } from '../../../support/servers/redis.ts'
import { ownStack } from '../../../support/servers/servers.ts'

const CAP = 1_000_000
const PREFIX = 'test:'
const ANSWER_MS = 60_000

async function storeOn(t: ExecutionContext, redisUrl: string): Promise<LimitStore> {
  const store = await openLimitStore({ redisUrl, prefix: PREFIX, answerMs: ANSWER_MS }, SILENT)
  t.teardown(() => store.end())
  return store
}

let requested = 0

async function take(store: LimitStore, lineage: string, owed: readonly Owed[], wanted: number) {
  const answered = await store.take({ lineage, cap: CAP, wanted, owed, number: ++requested })
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
  const reported = await redis.info('commandstats')
  const calls = [...reported.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm)].filter(([, name]) =>
    ['del', 'lindex', 'lpop', 'lrange', 'lset', 'rpop', 'rpush'].includes(name!),
  )
  const sum = (of: typeof calls) => of.reduce((all, [, , count]) => all + Number(count), 0)
  return { rpush: sum(calls.filter(([, name]) => name === 'rpush')), all: sum(calls) }
}

test('inserts recent owed requests without touching the rest of a long log', async (t) => {
  // A separate server: it counts all requests to it.
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
  // Three runs at most are younger, the first request's among them.
  t.true(after.all - before.all < 30, `${after.all - before.all} commands`)
})

test('counts a repeated request once, and a settled one not again when it comes late', async (t) => {
  const { redis, redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const store = await storeOn(t, redisUrl)
  const owed = [{ age: 50, count: 5 }]
  const send = { lineage: 'twice', cap: CAP, wanted: 3, owed }
  const sumOf = async () => {
    const all = await logOf(redis, 'twice')
    const sum = all.reduce((of, [, count]) => of + count, 0)
    t.is(Number(await redis.hget(`${PREFIX}{twice}:state`, 'sum')), sum)
    return sum
  }
  t.like(await store.take({ ...send, number: 7 }), { taken: { admitted: 3, sum: 8 } })
  t.is(await store.take({ ...send, number: 7 }), undefined)
  t.is(await sumOf(), 8)
  // The process admitted one of the three; reporting that again changes no count.
  for (const _ of [1, 2]) {
    const settled = { age: 2, count: 1 }
    t.like(await store.take({ ...send, wanted: 0, number: 7, settled }), {
      taken: { admitted: 0, sum: 6 },
    })
    t.is(await sumOf(), 6)
  }
  // This one never came; when it does it was settled.
  const settled = { age: 2, count: 2 }
  t.like(await store.take({ ...send, wanted: 0, number: 9, settled }), { taken: { sum: 13 } })
  t.is(await store.take({ ...send, number: 9 }), undefined)
  t.is(await store.take({ ...send, number: 8 }), undefined)
  t.is(await sumOf(), 13)
})

test('a state stores a bounded number of processes, those with the newest requests', async (t) => {
  const { redis, redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const first = await storeOn(t, redisUrl)
  const request = { lineage: 'many', cap: CAP, wanted: 1, owed: [], number: 1 }
  await first.take(request)
  const state = `${PREFIX}{many}:state`
  const [own] = (await redis.hkeys(state)).filter((field) => field.startsWith('by:'))
  const at = Number(await redis.hget(state, 'at'))
  // All but the first within the window for half a minute more, however slow this is.
  for (let other = 0; other < 63; other++) {
    const requestedAt = other === 0 ? at - 6_001 : at - 3_000 + other
    await redis.hset(state, `by:other ${other}`, `1:1:${requestedAt}`)
  }
  const second = await storeOn(t, redisUrl)
  await second.take(request)
  const fields = await redis.hkeys(state)
  t.false(fields.includes('by:other 0'))
  t.true(fields.includes('by:other 62') && fields.includes(own!))
  t.true(fields.length <= 4 + 64)
  t.is(await first.take(request), undefined)
})
