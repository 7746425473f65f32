/**
 * A bounded memory of text -> id, for addresses that were interned. Two generations: recently used entries survive when
 * the older one is dropped, at no cost a look-up. Ids never change, so lanes that use one database share it.
 */
export class IdCache {
  private young = new Map<string, number>()
  private old = new Map<string, number>()
  private readonly limit: number

  /** `limit`: entries a generation; at most twice as many are held. */
  constructor(limit: number) {
    this.limit = limit
  }

  get(text: string): number | undefined {
    const id = this.young.get(text)
    if (id !== undefined) return id
    const older = this.old.get(text)
    if (older !== undefined) this.set(text, older)
    return older
  }

  set(text: string, id: number): void {
    if (this.young.size >= this.limit) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(text, id)
  }
}

/** The cache of a name that the users of one database share, made with its first use. */
export function sharedIdCache(db: object, name: string, limit: number): IdCache {
  let named = shared.get(db)
  if (named === undefined) {
    named = new Map()
    shared.set(db, named)
  }
  let cache = named.get(name)
  if (cache === undefined) {
    cache = new IdCache(limit)
    named.set(name, cache)
  }
  return cache
}

/** Ids are one database's: two databases never share a cache. */
const shared = new WeakMap<object, Map<string, IdCache>>()
