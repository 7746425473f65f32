/**
 * What the processes of the API share in Redis: bodies, and who reads one just now.
 *
 * Law: ages go by one clock, Redis's own: a body's life ends that many milliseconds after the reader
 * claimed it, however long reading and writing took. Where that clock was set back behind the claim the body is
 * dropped, and nothing is good for longer than its life. A claim is a lock with a lease and a token: a
 * reader that died or froze loses it within the lease, and what it brings later is not taken. Redis away
 * or slow is never a fault of a request: every call ends in some milliseconds, with nothing then.
 */
import { randomUUID } from 'node:crypto'
import type { Log } from '../../../domain/log.ts'
import { openRedisLink, type Script } from '../redis-scripts.ts'

export type Claim =
  /** There is one, good for that long by Redis's clock. */
  | { kind: 'body'; body: string; leftMs: number }
  /** The caller reads; `atMs` is Redis's Unix time. */
  | { kind: 'ours'; atMs: number }
  /** Somebody else reads just now. */
  | { kind: 'theirs' }

/** A body that is good for so long from its claim on. */
export type Filled = { body: string; claimedAtMs: number; lifeMs: number }

export type SharedStore = {
  /** Undefined: Redis did not answer in time, the caller is on its own. */
  claim(name: string, token: string): Promise<Claim | undefined>
  /** Holds a claim for another lease. */
  renew(name: string, token: string): Promise<void>
  /** Hands a body in and ends the claim, if it still is the caller's. */
  fill(name: string, token: string, filled: Filled): Promise<void>
  release(name: string, token: string): Promise<void>
  end(): void
}

/** Milliseconds in which a claim that nobody renews ends, and between two renewals. */
const LEASE_MS = 2_000
export const RENEW_EVERY_MS = 400
/** Bytes that one process may have in Redis at once, and one body. Beyond: not shared. */
const SHARED_BYTES_MAX = 128 * 1024 * 1024
export const BODY_BYTES_MAX = 8 * 1024 * 1024

// KEYS: body, lock. ARGV: token, lease.
const CLAIM = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local body = redis.call('hmget', KEYS[1], 'body', 'claimed', 'life')
if body[1] and now >= tonumber(body[2]) then
  return {'body', body[1], math.min(redis.call('pttl', KEYS[1]), tonumber(body[3]))}
end
if body[1] then redis.call('del', KEYS[1]) end
local isOurs = redis.call('get', KEYS[2]) == ARGV[1]
if isOurs or redis.call('set', KEYS[2], ARGV[1], 'nx', 'px', ARGV[2]) then
  return {'ours', '', now}
end
return {'theirs', '', 0}`
const RENEW = `
if redis.call('get', KEYS[2]) == ARGV[1] then redis.call('pexpire', KEYS[2], ARGV[2]) end`
// ARGV: token, body, Unix ms of its claim, milliseconds of its life.
const FILL = `
if redis.call('get', KEYS[2]) ~= ARGV[1] then return end
redis.call('hset', KEYS[1], 'body', ARGV[2], 'claimed', ARGV[3], 'life', ARGV[4])
redis.call('pexpireat', KEYS[1], string.format('%.0f', ARGV[3] + ARGV[4]))
redis.call('del', KEYS[2])`
const RELEASE = `
if redis.call('get', KEYS[2]) == ARGV[1] then redis.call('del', KEYS[2]) end`

export type StoreOptions = {
  redisUrl: string
  /** Prefix of all Redis keys. */
  prefix: string
  /** Milliseconds that Redis has to answer. */
  answerMs: number
  /** Milliseconds in which a claim that nobody renews ends. */
  leaseMs?: number
}

/** Connects, waiting a little for it; without Redis it goes on trying. */
export async function openSharedStore(
  { redisUrl, prefix, answerMs, leaseMs = LEASE_MS }: StoreOptions,
  log: Log,
): Promise<SharedStore> {
  const link = await openRedisLink(
    {
      redisUrl,
      connectionName: 'swaptide-cache',
      answerMs,
      lua: { claim: CLAIM, renew: RENEW, fill: FILL, release: RELEASE },
      awayText: 'lost Redis; caching per process',
      warmUp: (known) => warmUp(known, `${prefix}start`),
    },
    log,
  )
  const { scripts, ask } = link
  const outstanding = createBudget(SHARED_BYTES_MAX)
  // The braces keep both keys of a name on one node of a cluster.
  const keysOf = (name: string): [string, string] => {
    const key = `${prefix}{${name}}`
    return [key, `${key}:lock`]
  }
  const release = async (name: string, token: string): Promise<void> => {
    await ask(() => scripts.release(...keysOf(name), token))
  }

  return {
    async claim(name, token) {
      const answer = await ask(() => scripts.claim(...keysOf(name), token, leaseMs))
      if (answer === undefined) return undefined
      const [kind, body, ms] = answer as [Claim['kind'], string, number]
      if (kind === 'body') return { kind, body, leftMs: ms }
      return kind === 'ours' ? { kind, atMs: ms } : { kind }
    },
    async renew(name, token) {
      await ask(() => scripts.renew(...keysOf(name), token, leaseMs))
    },
    async fill(name, token, { body, claimedAtMs, lifeMs }) {
      const bytes = Buffer.byteLength(body)
      const isFitting = bytes <= BODY_BYTES_MAX && outstanding.take(bytes, lifeMs)
      const times = [Math.floor(claimedAtMs), Math.floor(lifeMs)] as const
      if (!isFitting) await release(name, token)
      else await ask(() => scripts.fill(...keysOf(name), token, body, ...times))
    },
    release,
    end: link.end,
  }
}

async function warmUp(
  scripts: Record<'claim' | 'renew' | 'fill' | 'release', Script>,
  key: string,
): Promise<void> {
  const token = randomUUID()
  const keys = [`{${key}}`, `{${key}}:lock`] as const
  await scripts.claim(...keys, token, LEASE_MS)
  await scripts.renew(...keys, token, LEASE_MS)
  await scripts.fill(...keys, token, '', 1, 1)
  await scripts.release(...keys, token)
}

/** Bytes in Redis by the second in which they end, counted as if none was replaced before. */
function createBudget(bytesMax: number) {
  const bySecond = new Map<number, number>()
  let sum = 0
  return {
    /** False: there is no room. */
    take(bytes: number, lifeMs: number): boolean {
      const nowMs = performance.now()
      const now = Math.floor(nowMs / 1_000)
      for (const [second, held] of bySecond) {
        if (second >= now) continue
        bySecond.delete(second)
        sum -= held
      }
      if (sum + bytes > bytesMax) return false
      sum += bytes
      const second = Math.ceil((nowMs + lifeMs) / 1_000)
      bySecond.set(second, (bySecond.get(second) ?? 0) + bytes)
      return true
    },
  }
}
