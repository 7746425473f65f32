/**
 * Reads the CBOR (RFC 8949) of nodes in CAR files: unsigned and negative integers, bytes, texts, lists, maps, links and
 * null, all of definite length. Pure.
 *
 * Lengths may be longer than needed: writers of these files made such (`99 000a` for a list of 10). Anything else, and
 * bytes that end within a value, throws CborError.
 */
export class CborError extends Error {
  override name = 'CborError'
}

const MAJOR = {
  unsigned: 0,
  negative: 1,
  bytes: 2,
  text: 3,
  list: 4,
  map: 5,
  tag: 6,
  simple: 7,
} as const
const NAMES = Object.keys(MAJOR)

const LINK_TAG = 42
const NULL = 0xf6
/** Before a CID, as a link holds it. */
const LINK_PREFIX = 0x00
/** Values within each other. */
const DEPTH_MAX = 32

export class CborReader {
  readonly #bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length
  }

  /** Whether the next value is null, which is passed over. */
  takeNull(): boolean {
    if (this.#bytes[this.at] !== NULL) return false
    this.at++
    return true
  }

  /** An unsigned integer that a double holds exactly. */
  count(): number {
    return this.#argument(this.#head(MAJOR.unsigned))
  }

  /** An integer of either sign that a double holds exactly. */
  integer(): number {
    const head = this.#byte()
    const value = this.#argument(head & 0x1f)
    if (head >> 5 === MAJOR.unsigned) return value
    if (head >> 5 === MAJOR.negative) return -1 - value
    throw unexpected('an integer', head)
  }

  /** An integer of either sign, as its 64 bits. */
  bits64(): bigint {
    const head = this.#byte()
    const value = this.#exact(head & 0x1f)
    if (head >> 5 === MAJOR.unsigned) return value
    if (head >> 5 === MAJOR.negative) return BigInt.asUintN(64, -1n - value)
    throw unexpected('an integer', head)
  }

  bytes(): Buffer {
    return this.#take(this.#argument(this.#head(MAJOR.bytes)))
  }

  text(): string {
    return this.#take(this.#argument(this.#head(MAJOR.text))).toString('utf8')
  }

  /** The number of values that follow. */
  list(): number {
    return this.#bounded(this.#argument(this.#head(MAJOR.list)))
  }

  /** The number of pairs that follow. */
  map(): number {
    return this.#bounded(this.#argument(this.#head(MAJOR.map)))
  }

  /** The CID of a link. */
  link(): Buffer {
    const tag = this.#argument(this.#head(MAJOR.tag))
    if (tag !== LINK_TAG) throw new CborError(`tag ${tag}, expected a link`)
    const bytes = this.bytes()
    if (bytes[0] !== LINK_PREFIX || bytes.length < 2) throw new CborError('a link without a CID')
    return bytes.subarray(1)
  }

  /** Passes over one value of any kind. */
  skip(depth = 0): void {
    if (depth > DEPTH_MAX) throw new CborError('values within values within values')
    const head = this.#byte()
    const [major, low] = [head >> 5, head & 0x1f]
    if (major === MAJOR.simple) {
      // False, true, null; a float, or a simple value of more bytes, is none of these.
      if (low < 20 || low > 22) throw new CborError(`value 0x${head.toString(16)} is not known`)
      return
    }
    const value = this.#argument(low)
    if (major === MAJOR.bytes || major === MAJOR.text) this.#take(value)
    if (major === MAJOR.tag) this.skip(depth + 1)
    if (major !== MAJOR.list && major !== MAJOR.map) return
    const values = this.#bounded(value) * (major === MAJOR.map ? 2 : 1)
    for (let index = 0; index < values; index++) this.skip(depth + 1)
  }

  #byte(): number {
    const byte = this.#bytes[this.at]
    if (byte === undefined) throw new CborError('ends within a value')
    this.at++
    return byte
  }

  /** The low bits of the next value's head, which must be of the kind. */
  #head(major: number): number {
    const head = this.#byte()
    if (head >> 5 !== major) throw unexpected(`a value of kind ${NAMES[major]}`, head)
    return head & 0x1f
  }

  #argument(low: number): number {
    if (low < 24) return low
    if (low < 27) return this.#short(low)
    const value = this.#exact(low)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CborError(`${value} is too large`)
    return Number(value)
  }

  #exact(low: number): bigint {
    if (low < 24) return BigInt(low)
    if (low < 27) return BigInt(this.#short(low))
    if (low > 27) throw new CborError('a length that is not definite')
    return this.#take(8).readBigUInt64BE(0)
  }

  /** An argument of one, two or four bytes. */
  #short(low: number): number {
    let value = 0
    for (let left = 2 ** (low - 24); left > 0; left--) value = value * 256 + this.#byte()
    return value
  }

  #take(length: number): Buffer {
    const end = this.at + length
    if (end > this.#bytes.length) throw new CborError('ends within a value')
    const taken = this.#bytes.subarray(this.at, end)
    this.at = end
    return taken
  }

  /** Each value has a byte at least. */
  #bounded(count: number): number {
    if (count > this.#bytes.length - this.at) throw new CborError('ends within a value')
    return count
  }
}

const unexpected = (expected: string, head: number): CborError =>
  new CborError(`kind ${NAMES[head >> 5]}, expected ${expected}`)
