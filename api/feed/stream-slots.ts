/**
 * Cap on concurrent streams per key lineage across all processes: slots in Redis, each a lease.
 *
 * Invariant: a lineage holds no more slots than its cap, whichever processes admit its streams. A slot is renewed while
 * its stream runs; after a crash it expires within a lease. While Redis is down each process counts its own streams, so
 * that no client is locked out; running streams continue, and their slots are restored when Redis is back.
 */
import { randomUUID } from 'node:crypto'
import type { Log } from '../../domain/log.ts'
import { connectRedis, type Redis } from '../../streams/redis/connect.ts'
import { inTime } from '../gateway/redis-scripts.ts'

export type StreamSlots = {
  /** A slot until `leave` is called; undefined if all are taken. Never rejects. */
  take(lineage: string, cap: number | undefined): Promise<StreamSlot | undefined>
  /** Releases all slots of this process. */
  end(): Promise<void>
}
export type StreamSlot = { leave(): Promise<void> }

export type StreamSlotsOptions = {
  redisUrl: string
  /** Prefix of all Redis keys: that of the installation and the transport. */
  prefix: string
  log: Log
  /** Milliseconds after which a slot without renewal is free, and between two renewals. */
  leaseMs?: number
  renewEveryMs?: number
  /** Timeout of Redis in milliseconds. */
  answerMs?: number
}

const LEASE_MS = 45_000
const RENEW_EVERY_MS = 15_000
const ANSWER_MS = 250

const NOW = `
local clock = redis.call('time')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)`
// ARGV: lease, slot, cap.
const TAKE = `${NOW}
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('zadd', KEYS[1], now + ARGV[1], ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[1])
return 1`
// ARGV: lease, slots. Restores a slot that Redis lost, because its stream still runs.
const RENEW = `${NOW}
for index = 2, #ARGV do redis.call('zadd', KEYS[1], now + ARGV[1], ARGV[index]) end
redis.call('pexpire', KEYS[1], ARGV[1])`
const LEAVE = `redis.call('zrem', KEYS[1], ARGV[1])`

type Script<Answer> = (key: string, ...more: (string | number)[]) => Promise<Answer>
type Scripts = {
  takeSlot: Script<number>
  renewSlots: Script<unknown>
  leaveSlot: Script<unknown>
}

/** Slots that this process holds, by lineage. */
type Held = Map<string, Set<string>>

export function openStreamSlots(options: StreamSlotsOptions): StreamSlots {
  const { redisUrl, prefix, log, leaseMs = LEASE_MS, renewEveryMs = RENEW_EVERY_MS } = options
  const { answerMs = ANSWER_MS } = options
  const redis = connectSlots(redisUrl, log)
  const scripts = redis as unknown as Scripts
  const answered = <Answer>(requested: Promise<Answer>) => inTime(requested, answerMs)
  const held: Held = new Map()
  const keyOf = (lineage: string): string => `${prefix}{${lineage}}`

  const renew = (): void => {
    for (const [lineage, slots] of held) {
      // A failed renewal is repeated: there are three per lease.
      answered(scripts.renewSlots(keyOf(lineage), leaseMs, ...slots)).catch(() => {})
    }
  }
  const renewing = setInterval(renew, renewEveryMs)
  renewing.unref()

  const leave = async (lineage: string, slot: string): Promise<void> => {
    forget(held, lineage, slot)
    await answered(scripts.leaveSlot(keyOf(lineage), slot)).catch(() => {})
  }

  return {
    async take(lineage, cap) {
      if (cap === undefined) return { leave: async () => {} }
      const slot = randomUUID()
      const own = held.get(lineage)?.size ?? 0
      // Recorded before the call: if Redis fails, concurrent calls must not both get the last slot.
      remember(held, lineage, slot)
      const isFree = await answered(scripts.takeSlot(keyOf(lineage), leaseMs, slot, cap))
        .then((taken) => taken === 1)
        .catch(() => own < cap)
      if (isFree) return { leave: () => leave(lineage, slot) }
      await leave(lineage, slot)
      return undefined
    },
    async end() {
      clearInterval(renewing)
      const all = [...held].flatMap(([lineage, slots]) =>
        [...slots].map((slot) => leave(lineage, slot)),
      )
      await Promise.all(all)
      redis.disconnect()
    },
  }
}

/** Slots of this process only, for an installation without Redis. */
export function openLocalStreamSlots(): StreamSlots {
  const taken = new Map<string, number>()
  const change = (lineage: string, by: number): void => {
    const left = (taken.get(lineage) ?? 0) + by
    if (left > 0) taken.set(lineage, left)
    else taken.delete(lineage)
  }
  return {
    async take(lineage, cap) {
      if (cap !== undefined && (taken.get(lineage) ?? 0) >= cap) return undefined
      change(lineage, 1)
      let isHeld = true
      return {
        async leave() {
          if (isHeld) change(lineage, -1)
          isHeld = false
        },
      }
    },
    async end() {
      taken.clear()
    },
  }
}

function remember(held: Held, lineage: string, slot: string): void {
  const slots = held.get(lineage) ?? new Set()
  held.set(lineage, slots.add(slot))
}

function forget(held: Held, lineage: string, slot: string): void {
  const slots = held.get(lineage)
  slots?.delete(slot)
  if (slots?.size === 0) held.delete(lineage)
}

function connectSlots(redisUrl: string, log: Log): Redis {
  const traits = {
    connectionName: 'swaptide-places',
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  }
  const redis = connectRedis(redisUrl, log, traits, 'counting streams per process')
  redis.defineCommand('takeSlot', { lua: TAKE, numberOfKeys: 1 })
  redis.defineCommand('renewSlots', { lua: RENEW, numberOfKeys: 1 })
  redis.defineCommand('leaveSlot', { lua: LEAVE, numberOfKeys: 1 })
  return redis
}
