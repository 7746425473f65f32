/** A Redis database of its own for each test file, empty, on the shared server. */
import { Redis } from 'ioredis'
import { testServers } from './servers.ts'

export type TestRedis = { redisUrl: string; redis: Redis; drop(): Promise<void> }

/** The embedded server has 256; number 0 records which test has which. */
const NUMBERS = 255
const COUNTER = 'test:databases'

export async function testRedis(): Promise<TestRedis> {
  const shared = new Redis(testServers().redisUrl)
  const taken = await shared.incr(COUNTER)
  shared.disconnect()
  const url = new URL(testServers().redisUrl)
  url.pathname = `/${1 + (taken % NUMBERS)}`
  const redis = new Redis(url.href)
  await redis.flushdb()
  return {
    redisUrl: url.href,
    redis,
    async drop() {
      await redis.flushdb()
      redis.disconnect()
    },
  }
}
