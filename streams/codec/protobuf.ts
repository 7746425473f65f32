/**
 * Protobuf at speed: readers and writers of proto/swaptide/v1/event.proto, hand-written because every trade is encoded
 * and decoded, and int64 must be exact. test/streams/codec/protobuf.test.ts compares them with a general protobuf
 * library that reads the .proto file.
 *
 * Law: decode(encode(x)) = x to the last digit; unknown fields are skipped; malformed or truncated bytes throw
 * WireError and no other error.
 */
import { isUtf8 } from 'node:buffer'
import type { Int64 } from '../../domain/amount.ts'

export class WireError extends Error {}

/** The result of `read`; undefined where it throws WireError. */
export function unlessBroken<Read>(read: () => Read): Read | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}

const HIGH_UNIT = 2 ** 28
const TAG_MAX = 2 ** 32 - 1
/** The most bytes of a varint. */
const VARINT_BYTES_MAX = 10

/** Buffer's own per-encoding methods, which its types leave out: the general ones cost a dispatch. */
export type TextBuffer = Buffer & {
  latin1Slice(start: number, end: number): string
  utf8Slice(start: number, end: number): string
  latin1Write(text: string, at: number): number
  utf8Write(text: string, at: number): number
}

export class WireReader {
  readonly bytes: TextBuffer
  at: number
  end: number

  constructor(bytes: Uint8Array) {
    // A view costs as much as reading a small message.
    const isBuffer = bytes instanceof Buffer
    const own = isBuffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.bytes = own as TextBuffer
    this.at = 0
    this.end = bytes.byteLength
  }

  /** An unsigned varint of up to 64 bits, exact. */
  uint64(): Int64 {
    const bytes = this.bytes
    let at = this.at
    // Most numbers, every tag and every length of a text among them.
    const first = bytes[at] as number
    if (first < 128 && at < this.end) {
      this.at = at + 1
      return first
    }
    let low = 0
    let middle = 0
    let high = 0
    let byte = 0
    let shift = 0
    do {
      byte = bytes[at++] as number
      if (at > this.end) throw new WireError('message ends within a number')
      if (shift < 28) low |= (byte & 127) << shift
      else if (shift < 56) middle |= (byte & 127) << (shift - 28)
      else if (shift < 70) high |= (byte & 127) << (shift - 56)
      else throw new WireError('number is longer than 64 bits')
      shift += 7
    } while (byte >= 128)
    this.at = at
    if (high === 0 && middle < 2 ** 25) return low + middle * HIGH_UNIT
    const exact = (BigInt(high) << 56n) | (BigInt(middle) << 28n) | BigInt(low)
    if (exact > 0xffffffffffffffffn) throw new WireError('number is longer than 64 bits')
    return exact
  }

  /** An unsigned varint that must be a safe integer. */
  safe(): number {
    const value = this.uint64()
    if (typeof value === 'bigint') throw new WireError(`${value} is not a safe integer`)
    return value
  }

  /** Field number and wire type of the next field, as `field << 3 | wireType`. */
  tag(): number {
    const tag = this.safe()
    if (tag < 8 || tag > TAG_MAX) throw new WireError(`${tag} is not the tag of a field`)
    return tag
  }

  /** A zigzag varint. */
  sint64(): Int64 {
    const value = BigInt(this.uint64())
    const exact = value & 1n ? -((value + 1n) >> 1n) : value >> 1n
    const near = Number(exact)
    return Number.isSafeInteger(near) ? near : exact
  }

  double(): number {
    this.need(8)
    const value = this.bytes.readDoubleLE(this.at)
    this.at += 8
    return value
  }

  /** A text of ASCII letters and digits (base58 and our own names). */
  ascii(): string {
    const end = this.lengthEnd()
    const text = this.bytes.latin1Slice(this.at, end)
    this.at = end
    return text
  }

  text(): string {
    const end = this.lengthEnd()
    if (!isUtf8(this.bytes.subarray(this.at, end))) throw new WireError('text is not UTF-8')
    const text = this.bytes.utf8Slice(this.at, end)
    this.at = end
    return text
  }

  /** The end of a length-delimited field that begins here. */
  lengthEnd(): number {
    const length = this.safe()
    this.need(length)
    return this.at + length
  }

  skip(wireType: number): void {
    if (wireType === 0) this.uint64()
    else if (wireType === 1) this.jump(8)
    else if (wireType === 2) this.at = this.lengthEnd()
    else if (wireType === 5) this.jump(4)
    else throw new WireError(`unknown wire type ${wireType}`)
  }

  private jump(length: number): void {
    this.need(length)
    this.at += length
  }

  private need(length: number): void {
    if (this.at + length > this.end) throw new WireError('message ends within a field')
  }
}

export class WireWriter {
  private bytes: TextBuffer
  at = 0

  constructor(capacity = 65_536) {
    this.bytes = Buffer.allocUnsafe(capacity) as TextBuffer
  }

  /** Discards an unfinished message, left by an encoder that threw. */
  begin(): void {
    this.at = 0
  }

  /** Returns the written bytes as a copy; the writer can be reused. */
  finish(): Buffer {
    const written = Buffer.from(this.bytes.subarray(0, this.at))
    this.at = 0
    return written
  }

  reserve(length: number): void {
    if (this.at + length <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(
      Math.max(this.bytes.length * 2, this.at + length),
    ) as TextBuffer
    this.bytes.copy(larger, 0, 0, this.at)
    this.bytes = larger
  }

  varint(value: Int64): void {
    this.reserve(VARINT_BYTES_MAX)
    if (typeof value === 'bigint') {
      this.bigVarint(value)
      return
    }
    let rest = value
    while (rest >= HIGH_UNIT) {
      this.bytes[this.at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    while (rest > 127) {
      this.bytes[this.at++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.bytes[this.at++] = rest
  }

  private bigVarint(value: bigint): void {
    let rest = value
    while (rest > 127n) {
      this.bytes[this.at++] = Number(rest & 127n) | 128
      rest >>= 7n
    }
    this.bytes[this.at++] = Number(rest)
  }

  /** A field of a non-negative integer; 0 is not written. */
  integer(tag: number, value: Int64): void {
    if (value === 0) return
    this.varint(tag)
    this.varint(value)
  }

  /** A field of a non-negative integer that is written at 0 too. */
  optionalInteger(tag: number, value: Int64): void {
    this.varint(tag)
    this.varint(value)
  }

  /** A zigzag field, written whatever its value. */
  signed(tag: number, value: Int64): void {
    this.varint(tag)
    const exact = BigInt(value)
    this.reserve(VARINT_BYTES_MAX)
    this.bigVarint(exact < 0n ? -exact * 2n - 1n : exact * 2n)
  }

  double(tag: number, value: number): void {
    this.varint(tag)
    this.reserve(8)
    this.bytes.writeDoubleLE(value, this.at)
    this.at += 8
  }

  ascii(tag: number, text: string): void {
    this.varint(tag)
    this.varint(text.length)
    this.reserve(text.length)
    this.at += this.bytes.latin1Write(text, this.at)
  }

  text(tag: number, text: string): void {
    const length = Buffer.byteLength(text)
    this.varint(tag)
    this.varint(length)
    this.reserve(length)
    this.at += this.bytes.utf8Write(text, this.at)
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  /** Begins a nested message; returns the mark for `close`. */
  open(tag: number): number {
    this.varint(tag)
    this.reserve(2)
    this.at += 2
    return this.at
  }

  /** Ends a nested message: writes its length before it, for which `open` reserved the usual two bytes. */
  close(mark: number): void {
    const length = this.at - mark
    const lengthBytes = length < 128 ? 1 : length < 16_384 ? 2 : length < 2_097_152 ? 3 : 4
    const shift = lengthBytes - 2
    // Includes the bytes that `varint` needs below: it must not reallocate there, because bytes after `at` would be
    // lost.
    this.reserve(VARINT_BYTES_MAX)
    if (shift !== 0) this.bytes.copyWithin(mark + shift, mark, this.at)
    this.at = mark - 2
    this.varint(length)
    this.at += length
  }
}

/** For a known field that comes as another wire type than it must. */
export function wrongWireType(tag: number, expected: number): WireError {
  return new WireError(`field ${tag >>> 3} has wire type ${tag & 7}, expected ${expected}`)
}

/** The wire type of each field, by field number. */
export function wireTypes(tags: Readonly<Record<string, number>>): number[] {
  const types: number[] = []
  for (const tag of Object.values(tags)) types[tag >>> 3] = tag & 7
  return types
}
