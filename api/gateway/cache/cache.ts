/**
 * Response cache, shared by all API processes. Single flight: concurrent requests for one response share one read.
 *
 * ```
 * own memory -> a read under way in this process -> Redis: the body, our claim to read it, or another's to wait for
 * ```
 * Invariants: age counts from before the read began and never exceeds the lifetime; failures are not cached; a request
 * waits no longer than its own deadline; a read is cancelled when its last waiter leaves. Without Redis each process
 * caches for itself.
 * Decision: docs/decisions/0030-cached-responses-are-read-once.md
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Log } from '../../../domain/log.ts'
import { ApiError } from '../../routing/error.ts'
import type { Fresh } from '../../routing/route.ts'
import { BODY_BYTES_MAX, openSharedStore, RENEW_EVERY_MS, type SharedStore } from './cache-store.ts'
import { CachedBody } from './cached-body.ts'

export type Served = {
  cached: CachedBody
  /** Whether the response was cached when it was requested. */
  isHit: boolean
  /** Whole seconds, rounded down. */
  secondsLeft: number
}

export type Cache = {
  /** The response of this name, if it is in the memory of this process. */
  known(name: string): Served | undefined
  /** The response of this name, read by `read` if it is not cached. Rejects with the error of `read`. */
  through(
    name: string,
    signal: AbortSignal,
    read: (signal: AbortSignal) => Promise<Fresh>,
  ): Promise<Served>
  end(): void
}

/** `endsAt` is by performance.now(). */
type Entry = { cached: CachedBody; endsAt: number }
type Landed = { entry: Entry; isHit: boolean }
/** One read, and the requests that wait for it. */
type Flight = { landed: Promise<Landed>; waiting: number; controller: AbortController }

/** Bytes and responses in the memory of a process; the least recently used is evicted. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024
const ENTRIES_MAX = 10_000
/** Overhead of an entry. */
const ENTRY_BYTES = 256
/** Milliseconds between two polls for a body that another process reads: doubled from `first` up to `last`. */
const LOOK_AGAIN_MS = { first: 2, last: 25 }
/** Maximum milliseconds of a shared read: longer than the deadline of any request. */
const FLIGHT_MS_MAX = 60_000
/** Milliseconds without an answer of Redis after which a process stops waiting for another one and reads itself. */
const SILENCE_MS_MAX = 500

export type CacheOptions = {
  /** Absent: the process caches for itself. */
  redisUrl?: string
  /** Prefix of the installation's Redis keys. */
  prefix?: string
  /** Timeout of Redis in milliseconds, after which a request continues without it. */
  redisAnswerMs?: number
  /** Lease of a claim in milliseconds: another process reads after that if the first was killed. */
  leaseMs?: number
  log: Log
}

const REDIS_ANSWER_MS = 40

export async function openCache(options: CacheOptions): Promise<Cache> {
  const { redisUrl, prefix = '', redisAnswerMs: answerMs = REDIS_ANSWER_MS, log } = options
  if (redisUrl === undefined) return createCache(undefined)
  const { leaseMs } = options
  const lease = leaseMs === undefined ? {} : { leaseMs }
  const store = { redisUrl, prefix: `swaptide:${prefix}body:`, answerMs, ...lease }
  return createCache(await openSharedStore(store, log))
}

function createCache(shared: SharedStore | undefined): Cache {
  const memory = new LRUCache<string, Entry>({
    max: ENTRIES_MAX,
    maxSize: MEMORY_BYTES_MAX,
    maxEntrySize: 2 * BODY_BYTES_MAX + ENTRY_BYTES,
    // Plain and compressed.
    sizeCalculation: ({ cached }) => 2 * cached.body.length + ENTRY_BYTES,
  })
  const flights = new Map<string, Flight>()

  const launch = (name: string, read: (signal: AbortSignal) => Promise<Fresh>): Flight => {
    const controller = new AbortController()
    const bound = setTimeout(() => {
      controller.abort(new ApiError('GATEWAY_TIMEOUT', 'the read took too long: try again'))
    }, FLIGHT_MS_MAX)
    const landed = fly(shared, name, controller.signal, read).finally(() => clearTimeout(bound))
    const flight = { landed, waiting: 0, controller }
    flights.set(name, flight)
    const leave = (): void => {
      if (flights.get(name) === flight) flights.delete(name)
    }
    controller.signal.addEventListener('abort', leave, { once: true })
    landed.then(({ entry }) => {
      memory.set(name, entry)
      leave()
    }, leave)
    return flight
  }

  const known = (name: string): Served | undefined => {
    const entry = memory.get(name)
    return entry !== undefined && entry.endsAt > performance.now() ? served(entry, true) : undefined
  }

  return {
    known,
    async through(name, signal, read) {
      const own = known(name)
      if (own !== undefined) return own
      signal.throwIfAborted()
      const flight = flights.get(name) ?? launch(name, read)
      const { entry, isHit } = await waitFor(flight, signal)
      return served(entry, isHit)
    },
    end: () => shared?.end(),
  }
}

function served({ cached, endsAt }: Entry, isHit: boolean): Served {
  const leftMs = Math.max(0, endsAt - performance.now())
  return { cached, isHit, secondsLeft: Math.floor(leftMs / 1_000) }
}

/** Waits for the flight or the abort of the request; the last request that leaves aborts the flight. */
async function waitFor(flight: Flight, signal: AbortSignal): Promise<Landed> {
  const left = Promise.withResolvers<never>()
  const leave = (): void => left.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  flight.waiting += 1
  try {
    return await Promise.race([flight.landed, left.promise])
  } finally {
    signal.removeEventListener('abort', leave)
    flight.waiting -= 1
    if (flight.waiting === 0 && signal.aborted) flight.controller.abort(signal.reason)
  }
}

/** Gets the body from Redis, waits for the process that reads it, or reads it. */
async function fly(
  shared: SharedStore | undefined,
  name: string,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<Fresh>,
): Promise<Landed> {
  const token = randomUUID()
  const { first, last } = LOOK_AGAIN_MS
  let answeredAt = Number.NEGATIVE_INFINITY
  for (let waitMs = first; ; waitMs = Math.min(2 * waitMs, last)) {
    const requestedAt = performance.now()
    const claim = await shared?.claim(name, token)
    if (claim !== undefined) answeredAt = requestedAt
    if (claim?.kind === 'body') {
      const entry = entryOf(claim.body, requestedAt + claim.leftMs)
      return { entry, isHit: waitMs === first }
    }
    // One late answer of Redis does not mean that the other process stopped reading: keep waiting for a while.
    const isTheirs = claim?.kind === 'theirs' || requestedAt - answeredAt < SILENCE_MS_MAX
    if (claim?.kind === 'ours' || !isTheirs) {
      return {
        entry: await readAs(shared, { name, token }, claim?.atMs, signal, read),
        isHit: false,
      }
    }
    await pause(waitMs, undefined, { signal })
  }
}

/** Reads under the claim of this token; `claimedAtMs` is undefined where Redis did not answer. */
async function readAs(
  shared: SharedStore | undefined,
  { name, token }: { name: string; token: string },
  claimedAtMs: number | undefined,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<Fresh>,
): Promise<Entry> {
  const beganAt = performance.now()
  const renew = (): void => {
    if (claimedAtMs !== undefined) void shared?.renew(name, token)
  }
  const renewing = setInterval(renew, RENEW_EVERY_MS)
  let isFilled = false
  try {
    const { body, seconds } = await read(signal)
    const lifeMs = seconds * 1_000
    if (claimedAtMs !== undefined && lifeMs > 0) {
      isFilled = true
      // Not awaited: requests of this process have the body; those of other processes poll for it.
      void shared?.fill(name, token, { body, claimedAtMs, lifeMs })
    }
    return entryOf(body, beganAt + lifeMs)
  } finally {
    clearInterval(renewing)
    // Also if the claim was not answered: Redis may have stored it.
    if (!isFilled) void shared?.release(name, token)
  }
}

function entryOf(body: string, endsAt: number): Entry {
  return { cached: new CachedBody(body), endsAt }
}
