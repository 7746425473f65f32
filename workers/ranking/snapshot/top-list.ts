/**
 * The first `limit` entries of a ranking that changes: a sorted array with up to `limit` entries in reserve, so
 * that entries may leave without a scan of all. Ascending by key, then by mint. Keys lie in an array of their own,
 * because binary search is the most frequent operation. Pure.
 *
 * Invariant: an entry that was dropped ranks after `last`. A removal does not bring one back: where fewer than
 * `limit` remain, the list is short, and its owner inserts all entries again.
 */

/** Initial capacity: small, because each sector has a list for every window, and most sectors have few tokens. */
const INITIAL_CAPACITY = 8

export class TopList<Entry extends { readonly mint: string }> {
  private readonly limit: number
  private keys = new Float64Array(INITIAL_CAPACITY)
  private entries: Entry[] = []
  /** The last entry at the time when others were dropped; absent: none was. */
  private last: Entry | undefined
  private lastKey = Number.POSITIVE_INFINITY

  constructor(limit: number) {
    this.limit = limit
  }

  /** Whether an entry with this key is certainly not in the list. */
  isBeyond(key: number): boolean {
    return key > this.lastKey
  }

  add(key: number, entry: Entry): void {
    const { entries, limit, last } = this
    if (last !== undefined && this.ranksAfter(key, entry, this.lastKey, last)) return
    const offset = this.lowerBound(key, entry)
    const keys = this.keysWithSpare()
    keys.copyWithin(offset + 1, offset, entries.length)
    keys[offset] = key
    entries.splice(offset, 0, entry)
    if (entries.length <= 2 * limit) return
    entries.pop()
    this.last = entries[entries.length - 1]
    this.lastKey = keys[entries.length - 1]!
  }

  remove(key: number, entry: Entry): void {
    const { entries, keys } = this
    if (this.isBeyond(key)) return
    const offset = this.lowerBound(key, entry)
    if (keys[offset] !== key || entries[offset]?.mint !== entry.mint) return
    keys.copyWithin(offset, offset + 1, entries.length)
    entries.splice(offset, 1)
  }

  get isShort(): boolean {
    return this.last !== undefined && this.entries.length < this.limit
  }

  clear(): void {
    this.entries = []
    this.last = undefined
    this.lastKey = Number.POSITIVE_INFINITY
  }

  first(): readonly Entry[] {
    return this.entries.slice(0, this.limit)
  }

  /** The keys, with capacity for one more entry. */
  private keysWithSpare(): Float64Array {
    const { keys, entries } = this
    if (entries.length < keys.length) return keys
    this.keys = new Float64Array(2 * keys.length)
    this.keys.set(keys)
    return this.keys
  }

  private ranksAfter(key: number, entry: Entry, otherKey: number, other: Entry): boolean {
    return key > otherKey || (key === otherKey && entry.mint > other.mint)
  }

  /** Index of the first entry that does not rank before this one. */
  private lowerBound(key: number, entry: Entry): number {
    const { entries, keys } = this
    let [from, to] = [0, entries.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.ranksAfter(key, entry, keys[middle]!, entries[middle]!)) from = middle + 1
      else to = middle
    }
    return from
  }
}
