/**
 * The first entries of an order that changes: pure. Up to twice as many are held as are shown, so that some may leave.
 * By their keys, ascending, then by mint; keys lie side by side, because most calls here search for a position.
 *
 * Invariant: an entry that is not held comes after the last one that ever was. A removal reveals no other entry: where
 * too few are left the order is short, and all entries are inserted again.
 */

/** Keys that there is room for at first: most sectors have few tokens, and each has an order for every window. */
const FIRST_ROOM = 8

export class TopList<Each extends { readonly mint: string }> {
  private readonly limit: number
  private keys = new Float64Array(FIRST_ROOM)
  private held: Each[] = []
  /** The last held entry when others were dropped; absent: all are held. */
  private last: Each | undefined
  private lastKey = Number.POSITIVE_INFINITY

  constructor(limit: number) {
    this.limit = limit
  }

  /** Whether an entry of this key ranks after all that matter. */
  isBeyond(key: number): boolean {
    return key > this.lastKey
  }

  add(key: number, each: Each): void {
    const { held, limit, last } = this
    if (last !== undefined && this.ranksAfter(key, each, this.lastKey, last)) return
    const offset = this.lowerBound(key, each)
    const keys = this.roomyKeys()
    keys.copyWithin(offset + 1, offset, held.length)
    keys[offset] = key
    held.splice(offset, 0, each)
    if (held.length <= 2 * limit) return
    held.pop()
    this.last = held[held.length - 1]
    this.lastKey = keys[held.length - 1]!
  }

  remove(key: number, each: Each): void {
    const { held, keys } = this
    if (this.isBeyond(key)) return
    const offset = this.lowerBound(key, each)
    if (keys[offset] !== key || held[offset]?.mint !== each.mint) return
    keys.copyWithin(offset, offset + 1, held.length)
    held.splice(offset, 1)
  }

  get isShort(): boolean {
    return this.last !== undefined && this.held.length < this.limit
  }

  clear(): void {
    this.held = []
    this.last = undefined
    this.lastKey = Number.POSITIVE_INFINITY
  }

  first(): readonly Each[] {
    return this.held.slice(0, this.limit)
  }

  /** With room for one more than are held. */
  private roomyKeys(): Float64Array {
    const { keys, held } = this
    if (held.length < keys.length) return keys
    this.keys = new Float64Array(2 * keys.length)
    this.keys.set(keys)
    return this.keys
  }

  private ranksAfter(key: number, each: Each, otherKey: number, other: Each): boolean {
    return key > otherKey || (key === otherKey && each.mint > other.mint)
  }

  /** Index of the first entry that does not rank before it. */
  private lowerBound(key: number, each: Each): number {
    const { held, keys } = this
    let [from, to] = [0, held.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.ranksAfter(key, each, keys[middle]!, held[middle]!)) from = middle + 1
      else to = middle
    }
    return from
  }
}
