/**
 * A bounded cache of names (addresses) by their bytes on the wire: one string and one object for each name however
 * often it occurs, so that neither is made, hashed nor collected again for every swap. Pure. The caller sets a name's
 * id.
 *
 * Two generations, as in IdCache: recently used names survive when the older one is dropped.
 */

import type { TextBuffer } from './protobuf.ts'

/** An interned name; `id` is 0 until it is known. */
export type Name = { readonly text: string; id: number }

/** Base58 of 32 bytes is no longer; longer texts are not remembered. */
const NAME_BYTES_MAX = 44
/** Bytes that are hashed, from the eighth on: the first of an address and the last may be chosen. */
const HASHED_FROM = 8
const HASHED_BYTES = 16
/** Bytes of a name: its length and its text. */
const LINE_BYTES = 64
/** Masks of a cell: an index of up to a million, and upper bits of the hash. */
const INDEX = 2 ** 20 - 1
const MARK = 0x7fffffff ^ INDEX

export class NameTable {
  private young: Generation
  private old: Generation | undefined
  private readonly limit: number

  /** `limit`: names a generation; at most twice as many are held. */
  constructor(limit: number) {
    if (limit > INDEX) throw new RangeError(`${limit} names are more than a table has room for`)
    this.limit = limit
    this.young = new Generation(limit)
  }

  /** The name in `bytes` from `from` to before `to`: ASCII. */
  find(bytes: TextBuffer, from: number, to: number): Name {
    const length = to - from
    if (length > NAME_BYTES_MAX) return { text: bytes.latin1Slice(from, to), id: 0 }
    const hash = hashOf(bytes, from, length)
    const known = this.young.find(bytes, from, length, hash)
    if (known !== undefined) return known
    const name = this.old?.find(bytes, from, length, hash) ?? {
      text: bytes.latin1Slice(from, to),
      id: 0,
    }
    if (this.young.size === this.limit) {
      this.old = this.young
      this.young = new Generation(this.limit)
    }
    this.young.add(name, bytes, from, length, hash)
    return name
  }
}

/**
 * Open addressing, at most half full. A cell holds a name's index, and above it enough of its hash that few other names
 * are compared; a name's length and bytes share one cache line.
 */
class Generation {
  size = 0
  private readonly names: Name[] = []
  private slots: Int32Array
  private hashes: Int32Array
  private lines: Uint8Array
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
    const capacity = Math.min(limit, 1_024)
    this.slots = slotsFor(capacity)
    this.hashes = new Int32Array(capacity)
    this.lines = new Uint8Array(capacity * LINE_BYTES)
  }

  find(bytes: TextBuffer, from: number, length: number, hash: number): Name | undefined {
    const { slots } = this
    const mask = slots.length - 1
    const mark = hash & MARK
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const taken = slots[slot]!
      if (taken === 0) return undefined
      if ((taken & MARK) !== mark) continue
      const index = (taken & INDEX) - 1
      if (this.equals(index, bytes, from, length)) return this.names[index]
    }
  }

  add(name: Name, bytes: TextBuffer, from: number, length: number, hash: number): void {
    if (this.size === this.hashes.length) this.widen()
    const index = this.size++
    this.names.push(name)
    this.hashes[index] = hash
    const line = index * LINE_BYTES
    this.lines[line] = length
    for (let n = 0; n < length; n++) this.lines[line + 1 + n] = bytes[from + n]!
    this.slot(index)
  }

  private equals(index: number, bytes: TextBuffer, from: number, length: number): boolean {
    const own = this.lines
    const line = index * LINE_BYTES
    if (own[line] !== length) return false
    for (let n = 0; n < length; n++) if (own[line + 1 + n] !== bytes[from + n]) return false
    return true
  }

  private slot(index: number): void {
    const mask = this.slots.length - 1
    const hash = this.hashes[index]!
    let slot = hash & mask
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask
    this.slots[slot] = (hash & MARK) | (index + 1)
  }

  private widen(): void {
    const capacity = Math.min(this.limit, 2 * this.hashes.length)
    const { hashes, lines } = this
    this.hashes = new Int32Array(capacity)
    this.hashes.set(hashes)
    this.lines = new Uint8Array(capacity * LINE_BYTES)
    this.lines.set(lines)
    this.slots = slotsFor(capacity)
    for (let index = 0; index < this.size; index++) this.slot(index)
  }
}

function slotsFor(capacity: number): Int32Array {
  return new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity)))
}

function hashOf(bytes: TextBuffer, from: number, length: number): number {
  const isLong = length >= HASHED_FROM + HASHED_BYTES
  const begin = isLong ? from + HASHED_FROM : from
  const end = isLong ? begin + HASHED_BYTES : from + length
  let hash = length
  for (let at = begin; at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) & 0x7fffffff
}
