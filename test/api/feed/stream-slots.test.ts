/** Stream slots: a cap over processes, released by closed streams and dead processes, without Redis too. */
import test, { type ExecutionContext } from 'ava'
import {
  openStreamSlots,
  type StreamSlot,
  type StreamSlotsOptions,
} from '../../../api/feed/stream-slots.ts'
import { SILENT } from '../../support/api/api-under-test.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testRedis } from '../../support/servers/redis.ts'
import { slowRedis } from '../../support/servers/slow-redis.ts'
import { until } from '../../support/workers/pipeline.ts'

async function twoProcesses(t: ExecutionContext, options: Partial<StreamSlotsOptions> = {}) {
  const { redisUrl, redis, drop } = await testRedis()
  t.teardown(drop)
  const open = () => {
    const slots = openStreamSlots({ redisUrl, prefix: 'places:', log: SILENT, ...options })
    t.teardown(() => slots.end())
    return slots
  }
  return { redis, one: open(), other: open() }
}

test('a lineage has no more stream slots than its cap over all processes', async (t) => {
  const { one, other } = await twoProcesses(t, { answerMs: 60_000 })
  const requested = [one, other, one, other, one, other].map((streamSlots) =>
    streamSlots.take('a', 3),
  )
  const taken = (await Promise.all(requested)).filter((slot) => slot !== undefined)
  t.is(taken.length, 3)
  t.is(await other.take('a', 3), undefined)
  t.truthy(await other.take('b', 1))
  await (taken[0] as StreamSlot).leave()
  t.truthy(await other.take('a', 3))
  t.is(await one.take('a', 3), undefined)
})

test('does not count streams without a cap', async (t) => {
  const { one, redis } = await twoProcesses(t)
  for (let count = 0; count < 100; count++) t.truthy(await one.take('a', undefined))
  t.is(await redis.dbsize(), 0)
})

test('stream slots of a dead process are free after a lease, renewed ones are not', async (t) => {
  const { one, other, redis } = await twoProcesses(t, {
    answerMs: 60_000,
    leaseMs: 30_000,
    renewEveryMs: 100,
  })
  t.truthy(await one.take('a', 2))
  const endsAt = async (): Promise<number> => {
    const [, latest] = await redis.zrange('places:{a}', '0', '-1', 'REV', 'WITHSCORES')
    return Number(latest)
  }
  const first = await endsAt()
  await until('it is renewed', 60_000, async () => (await endsAt()) > first)
  // The remains of a killed process: a slot that is not renewed.
  const [seconds] = await redis.time()
  const killedAt = (afterMs: number) =>
    redis.zadd('places:{a}', Number(seconds) * 1_000 + afterMs, 'killed')
  await killedAt(60_000)
  t.is(await other.take('a', 2), undefined)
  await killedAt(-1_000)
  t.truthy(await other.take('a', 2), 'the place of the dead is free')
  t.is(await other.take('a', 2), undefined)
})

test('counts stream slots again that Redis lost', async (t) => {
  const { one, other, redis } = await twoProcesses(t, { answerMs: 60_000, renewEveryMs: 50 })
  t.truthy(await one.take('a', 1))
  await redis.flushdb()
  await until('counted again', 60_000, async () => (await redis.zcard('places:{a}')) === 1)
  t.is(await other.take('a', 1), undefined)
})

test('a Redis that is slow to connect is no outage', async (t) => {
  const { redisUrl, redis, drop } = await testRedis()
  t.teardown(drop)
  const slow = await slowRedis(t, redisUrl)
  slow.delayMs = 500
  const { log, lines } = recordingLog()
  const options = { redisUrl: slow.redisUrl, prefix: 'places:', log, answerMs: 50 }
  const slots = openStreamSlots(options)
  t.teardown(() => slots.end())
  await until('the connection was answered late', 60_000, async () => slow.heldBack > 0)
  slow.delayMs = 0
  await until('it counts in Redis', 60_000, async () => {
    const slot = await slots.take('a', 1)
    const count = await redis.zcard('places:{a}')
    await slot?.leave()
    return count === 1
  })
  t.deepEqual(lines, [])
})

test('without Redis a process counts only its streams', async (t) => {
  const slots = openStreamSlots({ redisUrl: 'redis://127.0.0.1:1', prefix: '', log: SILENT })
  t.teardown(() => slots.end())
  const first = await slots.take('a', 1)
  t.truthy(first)
  t.is(await slots.take('a', 1), undefined)
  await first?.leave()
  t.truthy(await slots.take('a', 1))
})
