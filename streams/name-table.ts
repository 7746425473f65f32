/**
 * A bounded memory of names (addresses) by the bytes that they come as on the wire: one string and one
 * object for each name however often it comes, so that neither is made, hashed nor collected again for
 * every swap. Pure. What a name's id is, its user sets.
 *
 * Two generations, as Dictionary has: what was met lately is kept when the older one is let go.
 */

import type { TextBuffer } from './wire.ts'

/** An interned name; `id` is 0 until it is known. */
export type Name = { readonly text: string; id: number }

/** Base58 of 32 bytes is no longer; longer texts are not remembered. */
const NAME_BYTES_MAX = 44
/** Bytes that are hashed, from the eighth on: the first of an address and the last may be chosen. */
const HASHED_FROM = 8
const HASHED_BYTES = 16

export class NameTable {
  private young: Generation
  private old: Generation | undefined
  private readonly limit: number

  /** `limit`: names a generation; at most twice as many are held. */
  constructor(limit: number) {
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

/** Open addressing, at most half full. */
class Generation {
  size = 0
  private readonly names: Name[] = []
  private places: Int32Array
  private hashes: Int32Array
  private bytes: Uint8Array
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
    const capacity = Math.min(limit, 1_024)
    this.places = placesFor(capacity)
    this.hashes = new Int32Array(capacity)
    this.bytes = new Uint8Array(capacity * NAME_BYTES_MAX)
  }

  find(bytes: TextBuffer, from: number, length: number, hash: number): Name | undefined {
    const { places, hashes } = this
    const mask = places.length - 1
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const index = places[place]! - 1
      if (index < 0) return undefined
      if (hashes[index] === hash && this.equals(index, bytes, from, length))
        return this.names[index]
    }
  }

  add(name: Name, bytes: TextBuffer, from: number, length: number, hash: number): void {
    if (this.size === this.hashes.length) this.widen()
    const index = this.size++
    this.names.push(name)
    this.hashes[index] = hash
    for (let n = 0; n < length; n++) this.bytes[index * NAME_BYTES_MAX + n] = bytes[from + n]!
    this.place(index)
  }

  private equals(index: number, bytes: TextBuffer, from: number, length: number): boolean {
    if (this.names[index]!.text.length !== length) return false
    const own = this.bytes
    const at = index * NAME_BYTES_MAX
    for (let n = 0; n < length; n++) if (own[at + n] !== bytes[from + n]) return false
    return true
  }

  private place(index: number): void {
    const mask = this.places.length - 1
    let place = this.hashes[index]! & mask
    while (this.places[place] !== 0) place = (place + 1) & mask
    this.places[place] = index + 1
  }

  private widen(): void {
    const capacity = Math.min(this.limit, 2 * this.hashes.length)
    const { hashes, bytes } = this
    this.hashes = new Int32Array(capacity)
    this.hashes.set(hashes)
    this.bytes = new Uint8Array(capacity * NAME_BYTES_MAX)
    this.bytes.set(bytes)
    this.places = placesFor(capacity)
    for (let index = 0; index < this.size; index++) this.place(index)
  }
}

function placesFor(capacity: number): Int32Array {
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
