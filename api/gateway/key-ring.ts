/**
 * Keys that were seen lately, so that a request costs no look-up. What changes is forgotten when word of
 * it comes (key-watch.ts); a look-up is believed for 25 s at most, so that a revoked key is refused within
 * 30 s though every word be lost. Requests that come with the same key while it is looked up share one
 * look-up. Both memories have a bound.
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
  find: (hash: Buffer) => Promise<StoredKey | undefined>
  touch: (id: number) => Promise<void>
  now: () => number
  /** Absent: 25 s. */
  believedMs?: number | undefined
}

type Lookup = { askedAt: number; found: Promise<StoredKey | undefined> }

export function createKeyRing(sources: KeyRingSources): KeyRing {
  const { find, touch, now, believedMs = BELIEVED_MS } = sources
  const lookups = new Map<string, Lookup>()
  const touched = new Map<number, number>()

  const lookUp = (hash: Buffer): Promise<StoredKey | undefined> => {
    const name = hash.toString('latin1')
    const known = lookups.get(name)
    if (known !== undefined && now() - known.askedAt < believedMs) return known.found
    const found = find(hash)
    const lookup = { askedAt: now(), found }
    remember(lookups, name, lookup)
    // A look-up that failed says nothing about the key.
    found.catch(() => {
      if (lookups.get(name) === lookup) lookups.delete(name)
    })
    return found
  }

  const noteUse = (id: number): void => {
    if (now() - (touched.get(id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
    remember(touched, id, now())
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
      if (hash === undefined) lookups.clear()
      else lookups.delete(hash.toString('latin1'))
    },
  }
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
