/** Writes and reads the fields of a body in order. Pure. The reader never reads beyond its end: what is cut is an error. */
import { DamagedHistory } from './envelope.ts'

export class ByteWriter {
  private bytes: Buffer
  private at = 0

  constructor(capacity = 4_096) {
    this.bytes = Buffer.allocUnsafe(capacity)
  }

  /** Room for `count` bytes, to be filled by the caller: the bytes and where they begin. */
  room(count: number): { bytes: Buffer; at: number } {
    if (this.at + count > this.bytes.length) {
      const wider = Buffer.allocUnsafe(2 * (this.at + count))
      this.bytes.copy(wider, 0, 0, this.at)
      this.bytes = wider
    }
    const at = this.at
    this.at += count
    return { bytes: this.bytes, at }
  }

  uint8(value: number): void {
    const { bytes, at } = this.room(1)
    bytes[at] = value
  }

  /** A row number, three bytes. */
  uint24(value: number): void {
    const { bytes, at } = this.room(3)
    bytes[at] = value
    bytes[at + 1] = value >>> 8
    bytes[at + 2] = value >>> 16
  }

  /** An integer of 0 to 2^53 - 1, seven bits a byte. */
  varint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`${value} is not an integer of 0 to 2^53 - 1`)
    }
    let rest = value
    while (rest > 127) {
      this.uint8((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    this.uint8(rest)
  }

  raw(values: Uint8Array): void {
    const { bytes, at } = this.room(values.length)
    bytes.set(values, at)
  }

  /** Starts over in the same memory: bytes that finish() returned change. */
  clear(): void {
    this.at = 0
  }

  finish(): Buffer {
    return this.bytes.subarray(0, this.at)
  }
}

export class ByteReader {
  readonly subject: string
  private readonly bytes: Buffer
  private at = 0

  constructor(bytes: Buffer, subject: string) {
    this.bytes = bytes
    this.subject = subject
  }

  /** Throws DamagedHistory, which names what is read. */
  fail(reason: string): never {
    throw new DamagedHistory(this.subject, reason)
  }

  /** The next `count` bytes, and where they begin. */
  take(count: number): { bytes: Buffer; at: number } {
    const at = this.at
    if (count > this.bytes.length - at) {
      this.fail(`${count} bytes are missing at ${at} of ${this.bytes.length}`)
    }
    this.at += count
    return { bytes: this.bytes, at }
  }

  raw(count: number): Buffer {
    const { bytes, at } = this.take(count)
    return bytes.subarray(at, at + count)
  }

  rest(): Buffer {
    return this.raw(this.bytes.length - this.at)
  }

  uint8(): number {
    if (this.at >= this.bytes.length) this.take(1)
    const byte = this.bytes[this.at] as number
    this.at += 1
    return byte
  }

  uint24(): number {
    const { bytes, at } = this.take(3)
    return (
      (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
    )
  }

  varint(): number {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = this.uint8()
      value += (byte & 127) * factor
      if (!Number.isSafeInteger(value)) this.fail('an integer exceeds 2^53 - 1')
      if (byte < 128) return value
      factor *= 128
    }
  }

  /** A count of entries of at least `bytesEach` bytes, which must be there. */
  count(bytesEach: number): number {
    const count = this.varint()
    const left = this.bytes.length - this.at
    if (count * bytesEach > left) this.fail(`${count} entries are expected in ${left} bytes`)
    return count
  }

  /** Nothing may be left. */
  end(): void {
    const left = this.bytes.length - this.at
    if (left !== 0) this.fail(`${left} bytes follow its end`)
  }
}
