/**
 * Answers that are kept for some seconds, shared by all processes of the API, and read once however
 * many ask at once.
 *
 * ```
 * own memory -> who waits in this process -> Redis: a body, a claim of ours, or another's to wait for
 * ```
 * Law: an answer's age counts from before its read began and never passes its lifetime; what failed is
 * not kept; nobody waits beyond a deadline of its own; without Redis a process does all this alone. A
 * read goes on while one request waits for it, and ends with the last.
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
  kept: CachedBody
  /** Whether it was there when it was asked for. */
  isHit: boolean
  /** Whole seconds, rounded down. */
  secondsLeft: number
}

export type Cache = {
  /** The answer of this name, if this process has it. */
  known(name: string): Served | undefined
  /** The answer of this name, read by `read` where there is none. Rejects with what `read` does. */
  through(
    name: string,
    signal: AbortSignal,
    read: (signal: AbortSignal) => Promise<Fresh>,
  ): Promise<Served>
  end(): void
}

/** `endsAt` is by performance.now(). */
type Entry = { kept: CachedBody; endsAt: number }
type Landed = { entry: Entry; isHit: boolean }
/** One read, and the requests that wait for it. */
type Flight = { landed: Promise<Landed>; waiting: number; controller: AbortController }

/** Bytes and answers in the memory of a process; beyond, the one asked for longest ago goes. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024
const ENTRIES_MAX = 10_000
/** An entry besides its body. */
const ENTRY_BYTES = 256
/** Milliseconds between two looks for what another process reads: doubled from the first to the last. */
const LOOK_AGAIN_MS = { first: 2, last: 25 }
/** Milliseconds of a read, however many come to wait for it: more than any request has. */
const FLIGHT_MS_MAX = 60_000
/** Milliseconds without a word of Redis after which who waits for another process reads for itself. */
const SILENCE_MS_MAX = 500

export type CacheOptions = {
  /** Absent: the process caches for itself. */
  redisUrl?: string
  /** Prefix of the installation's Redis keys. */
  prefix?: string
  /** Milliseconds that Redis has to answer before a request goes on without it. */
  redisAnswerMs?: number
  /** Milliseconds after which what a process reads that was killed is read by another. */
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
    // As it is and compressed.
    sizeCalculation: ({ kept }) => 2 * kept.body.length + ENTRY_BYTES,
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

function served({ kept, endsAt }: Entry, isHit: boolean): Served {
  const leftMs = Math.max(0, endsAt - performance.now())
  return { kept, isHit, secondsLeft: Math.floor(leftMs / 1_000) }
}

/** The flight's end or the request's own; with the last request that leaves, the flight is given up. */
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

/** Brings the body from Redis, waits for who reads it, or reads it. */
async function fly(
  shared: SharedStore | undefined,
  name: string,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<Fresh>,
): Promise<Landed> {
  const token = randomUUID()
  const { first, last } = LOOK_AGAIN_MS
  let heardAt = Number.NEGATIVE_INFINITY
  for (let waitMs = first; ; waitMs = Math.min(2 * waitMs, last)) {
    const askedAt = performance.now()
    const claim = await shared?.claim(name, token)
    if (claim !== undefined) heardAt = askedAt
    if (claim?.kind === 'body') {
      const entry = entryOf(claim.body, askedAt + claim.leftMs)
      return { entry, isHit: waitMs === first }
    }
    // Who heard that another reads does not read as well for one answer that was late.
    const isTheirs = claim?.kind === 'theirs' || askedAt - heardAt < SILENCE_MS_MAX
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
      // Whoever waits for it elsewhere looks again; who asked here does not wait for Redis.
      void shared?.fill(name, token, { body, claimedAtMs, lifeMs })
    }
    return entryOf(body, beganAt + lifeMs)
  } finally {
    clearInterval(renewing)
    // Also where the claim was not answered: it may have come to Redis all the same.
    if (!isFilled) void shared?.release(name, token)
  }
}

function entryOf(body: string, endsAt: number): Entry {
  return { kept: new CachedBody(body), endsAt }
}
