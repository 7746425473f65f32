/**
 * Cache of API keys, so that a request needs no query. key-watch.ts invalidates a changed key; an entry is valid for
 * 25 s at most, so a revoked key is refused within 30 s even if every notification is lost. Concurrent requests with
 * the same key share one query. Existing and unknown keys have separate caches, each with a bound, and separate
 * database connections, so that a client that makes up keys neither evicts nor delays others.
 */
import { timingSafeEqual } from 'node:crypto'
import { hashOfKey, type StoredKey } from './keys.ts'

/** Milliseconds that an entry is valid, from the start of its query. */
const BELIEVED_MS = 25_000
/** Entries of each cache; the one that was looked up longest ago is evicted. */
const REMEMBERED_MAX = 10_000
/** Milliseconds between two writes of a key's last use. */
const TOUCH_EVERY_MS = 60_000

export type KeyRing = {
  /** The live key, or undefined if it is unknown, revoked or past its grace period. */
  find(key: string): Promise<StoredKey | undefined>
  /** Invalidates the key of this hash, or all: the next request queries the database. */
  forget(hash?: Buffer): void
}

type KeyRingSources = {
  /** Queries the database. `isKnown`: the key existed at its last look-up. */
  find: (hash: Buffer, isKnown: boolean) => Promise<StoredKey | undefined>
  touch: (id: number) => Promise<void>
  /** Unix milliseconds, for grace periods. */
  now: () => number
  /** Milliseconds of a monotonic clock, for durations. */
  steadyMs: () => number
  /** Absent: 25 s. */
  believedMs?: number | undefined
}

type Lookup = { requestedAt: number; found: Promise<StoredKey | undefined> }

export function createKeyRing(sources: KeyRingSources): KeyRing {
  const { find, touch, now, steadyMs, believedMs = BELIEVED_MS } = sources
  const known = new Map<string, Lookup>()
  /** Unknown keys, and keys during their first look-up. */
  const strangers = new Map<string, Lookup>()
  const touched = new Map<number, number>()

  const lookUp = (hash: Buffer): Promise<StoredKey | undefined> => {
    const name = nameOf(hash)
    const seen = known.get(name)
    const isKnown = seen !== undefined
    const last = seen ?? strangers.get(name)
    if (last !== undefined && steadyMs() - last.requestedAt < believedMs) return last.found
    const found = find(hash, isKnown)
    const lookup = { requestedAt: steadyMs(), found }
    remember(isKnown ? known : strangers, name, lookup)
    found.then(
      (stored) => {
        if (isKnown || stored === undefined || strangers.get(name) !== lookup) return
        strangers.delete(name)
        remember(known, name, lookup)
      },
      // A failed look-up does not mean that the key is unknown.
      () => outdate(lookup),
    )
    return found
  }

  const noteUse = (id: number): void => {
    if (steadyMs() - (touched.get(id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
    remember(touched, id, steadyMs())
    // Best effort: the request neither waits for it nor fails with it.
    touch(id).catch(() => touched.delete(id))
  }

  return {
    async find(key) {
      const hash = hashOfKey(key)
      const stored = await lookUp(hash)
      if (stored === undefined || !timingSafeEqual(stored.key_hash, hash)) return undefined
      if (!isLive(stored, now())) return undefined
      noteUse(stored.id)
      return stored
    },
    forget(hash) {
      if (hash === undefined) {
        strangers.clear()
        for (const lookup of known.values()) outdate(lookup)
      } else {
        const name = nameOf(hash)
        strangers.delete(name)
        const lookup = known.get(name)
        if (lookup !== undefined) outdate(lookup)
      }
    },
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString('latin1')
}

/** Invalidates an entry; requests that already wait for it still get its result. */
function outdate(lookup: Lookup): void {
  lookup.requestedAt = Number.NEGATIVE_INFINITY
}

function isLive({ revoked_at, grace_until }: StoredKey, nowMs: number): boolean {
  return revoked_at === null && (grace_until === null || grace_until.getTime() > nowMs)
}

/** Sets a value and evicts the oldest beyond the bound: a Map iterates in insertion order. */
function remember<Name, Value>(memory: Map<Name, Value>, name: Name, value: Value): void {
  memory.delete(name)
  memory.set(name, value)
  if (memory.size <= REMEMBERED_MAX) return
  for (const oldest of memory.keys()) {
    memory.delete(oldest)
    return
  }
}
