/**
 * Keys that were seen lately, so that a request costs no look-up. What changes is forgotten when word of
 * it comes (key-watch.ts); a look-up is believed for 25 s at most, so that a revoked key is refused within
 * 30 s though every word be lost. Requests that come with the same key while it is looked up share one
 * look-up. Keys that there are and those that were none have memories of their own, each with a bound, so
 * that who makes keys up neither pushes others out nor keeps them waiting.
 */
import { timingSafeEqual } from 'node:crypto'
import { hashOfKey, type StoredKey } from './keys.ts'

/** Milliseconds that a look-up is believed, counted from when it was asked. */
const BELIEVED_MS = 25_000
/** Keys remembered at once; beyond, the one asked for longest ago is forgotten. */
const REMEMBERED_MAX = 10_000
/** Milliseconds between two notes that the same key was used. */
const TOUCH_EVERY_MS = 60_000

export type KeyRing = {
  /** The live key of this text, or undefined where it is unknown, revoked or out of grace. */
  find(key: string): Promise<StoredKey | undefined>
  /** The next look-up of the key with this hash, or of any, asks anew. */
  forget(hash?: Buffer): void
}

export type KeyRingSources = {
  /** `isKnown`: it was there when it was looked up last. */
  find: (hash: Buffer, isKnown: boolean) => Promise<StoredKey | undefined>
  touch: (id: number) => Promise<void>
  /** Unix milliseconds, for the grace that a key has. */
  now: () => number
  /** Milliseconds of a clock that is never set back, for how long ago something was. */
  steadyMs: () => number
  /** Absent: 25 s. */
  believedMs?: number | undefined
}

type Lookup = { askedAt: number; found: Promise<StoredKey | undefined> }

export function createKeyRing(sources: KeyRingSources): KeyRing {
  const { find, touch, now, steadyMs, believedMs = BELIEVED_MS } = sources
  const known = new Map<string, Lookup>()
  /** Keys that are none, and those that are looked up for the first time. */
  const strangers = new Map<string, Lookup>()
  const touched = new Map<number, number>()

  const lookUp = (hash: Buffer): Promise<StoredKey | undefined> => {
    const name = nameOf(hash)
    const seen = known.get(name)
    const isKnown = seen !== undefined
    const last = seen ?? strangers.get(name)
    if (last !== undefined && steadyMs() - last.askedAt < believedMs) return last.found
    const found = find(hash, isKnown)
    const lookup = { askedAt: steadyMs(), found }
    remember(isKnown ? known : strangers, name, lookup)
    found.then(
      (stored) => {
        if (isKnown || stored === undefined || strangers.get(name) !== lookup) return
        strangers.delete(name)
        remember(known, name, lookup)
      },
      // One that failed says nothing about the key.
      () => outdate(lookup),
    )
    return found
  }

  const noteUse = (id: number): void => {
    if (steadyMs() - (touched.get(id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
    remember(touched, id, steadyMs())
    // Only a note: the request does not wait for it and does not fail with it.
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

/** The next that asks is not answered by it. */
function outdate(lookup: Lookup): void {
  lookup.askedAt = Number.NEGATIVE_INFINITY
}

function isLive({ revoked_at, grace_until }: StoredKey, nowMs: number): boolean {
  return revoked_at === null && (grace_until === null || grace_until.getTime() > nowMs)
}

/** A Map hands out its keys in the order they were set: the first is the oldest. */
function remember<Name, Value>(memory: Map<Name, Value>, name: Name, value: Value): void {
  memory.delete(name)
  memory.set(name, value)
  if (memory.size <= REMEMBERED_MAX) return
  for (const oldest of memory.keys()) {
    memory.delete(oldest)
    return
  }
}
