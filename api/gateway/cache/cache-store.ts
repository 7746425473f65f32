/**
 * Cached bodies in Redis, and a lock per body for the process that reads it.
 *
 * Invariants: ages use the clock of Redis: a body expires its lifetime after the claim, however long the read took; a
 * body whose claim is in the future of a clock that was set back is deleted. A claim is a lock with a lease and a
 * token: a process that died or froze loses it within the lease, and its late write is refused. No request fails
 * because Redis is down or slow: every call returns within its timeout.
 */
import { randomUUID } from 'node:crypto'
import type { Log } from '../../../domain/log.ts'
import { openRedisLink, type Script } from '../redis-scripts.ts'

type Claim =
  /** The body is cached and valid for `leftMs` more. */
  | { kind: 'body'; body: string; leftMs: number }
  /** The caller got the claim and must read; `atMs` is the Unix time of Redis. */
  | { kind: 'ours'; atMs: number }
  /** Another process holds the claim. */
  | { kind: 'theirs' }

/** A body that expires `lifeMs` after its claim. */
type Filled = { body: string; claimedAtMs: number; lifeMs: number }

export type SharedStore = {
  /** Undefined: Redis did not answer in time. */
  claim(name: string, token: string): Promise<Claim | undefined>
  /** Extends a claim by another lease. */
  renew(name: string, token: string): Promise<void>
  /** Stores a body and ends the claim, if the caller still holds it. */
  fill(name: string, token: string, filled: Filled): Promise<void>
  release(name: string, token: string): Promise<void>
  end(): void
}

/** Milliseconds after which a claim expires without renewal, and between two renewals. */
const LEASE_MS = 2_000
export const RENEW_EVERY_MS = 400
/** Maximum bytes in Redis per process, and per body; beyond, a body is not shared. */
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

type StoreOptions = {
  redisUrl: string
  /** Prefix of all Redis keys. */
  prefix: string
  /** Timeout of Redis in milliseconds. */
  answerMs: number
  /** Milliseconds after which a claim expires without renewal. */
  leaseMs?: number
}

/** Connects, and waits at most 2 s for it; without Redis it returns and reconnects in the background. */
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
      fallback: 'caching per process',
      warmUp: (known) => warmUp(known, `${prefix}start`),
    },
    log,
  )
  const { scripts, request } = link
  const outstanding = createBudget(SHARED_BYTES_MAX)
  // Hash tag: both keys of a name are on one node of a Redis cluster.
  const keysOf = (name: string): [string, string] => {
    const key = `${prefix}{${name}}`
    return [key, `${key}:lock`]
  }
  const release = async (name: string, token: string): Promise<void> => {
    await request(() => scripts.release(...keysOf(name), token))
  }

  return {
    async claim(name, token) {
      const answer = await request(() => scripts.claim(...keysOf(name), token, leaseMs))
      if (answer === undefined) return undefined
      const [kind, body, ms] = answer as [Claim['kind'], string, number]
      if (kind === 'body') return { kind, body, leftMs: ms }
      return kind === 'ours' ? { kind, atMs: ms } : { kind }
    },
    async renew(name, token) {
      await request(() => scripts.renew(...keysOf(name), token, leaseMs))
    },
    async fill(name, token, { body, claimedAtMs, lifeMs }) {
      const bytes = Buffer.byteLength(body)
      const isFitting = bytes <= BODY_BYTES_MAX && outstanding.take(bytes, lifeMs)
      const times = [Math.floor(claimedAtMs), Math.floor(lifeMs)] as const
      if (!isFitting) await release(name, token)
      else await request(() => scripts.fill(...keysOf(name), token, body, ...times))
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

/** Budget of bytes in Redis, by the second in which they expire; ignores that a body may be replaced earlier. */
function createBudget(bytesMax: number) {
  const bySecond = new Map<number, number>()
  let sum = 0
  return {
    /** False: the budget is used up. */
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
