/**
 * Sections of a CAR file (CARv1) in bytes as they arrive: each is a length, the CID of a node, and the node. Pure, but for the
 * bytes that it holds.
 *
 * The hash of each node is compared with its CID. A file begins with a header, which names its root; a piece that was cut out
 * of one may begin with a header of length 0, or, at a known offset, with a section.
 */
import { hash } from 'node:crypto'
import { CborError, CborReader } from './cbor.ts'

/** Bytes that break the form, and where. */
export class CarError extends Error {
  override name = 'CarError'
  readonly offset: number

  constructor(offset: number, reason: string) {
    super(reason)
    this.offset = offset
  }
}

/** `key`: the hash in its CID, as a text of a character each byte. Offsets are those in the file. */
export type Section = {
  readonly start: number
  readonly end: number
  readonly key: string
  readonly node: Buffer
}

/** CIDv1, dag-cbor, sha2-256 of 32 bytes. */
const CID_PREFIX = Buffer.from([0x01, 0x71, 0x12, 0x20])
const CID_BYTES = 36
/** The bound of writers of CAR files. */
const SECTION_BYTES_MAX = 32 * 1024 * 1024
const VERSION = 1

/** The hash in the CID of a node, as a section's key; undefined for a CID of another kind. */
export function keyOf(cid: Buffer): string | undefined {
  if (cid.length !== CID_BYTES || cid.compare(CID_PREFIX, 0, 4, 0, 4) !== 0) return undefined
  return cid.toString('latin1', CID_PREFIX.length)
}

const NOTHING = Buffer.alloc(0)

export class SectionReader {
  /** Keys of the roots that the header names; undefined before it was read, and where there is none. */
  roots: readonly string[] | undefined
  #parts: Buffer[] = []
  #held = 0
  /** Offset in the file of the first byte that is held. */
  #offset: number
  #needsHeader: boolean
  /** Bytes that the next section needs. */
  #needed = 1

  /** `start`: offset in the file of the first byte; above 0 it is the beginning of a section. */
  constructor(start: number) {
    this.#offset = start
    this.#needsHeader = start === 0
  }

  /** Offset of the first byte that no section has had. */
  get offset(): number {
    return this.#offset
  }

  /** The sections that are complete with these bytes. Throws CarError. */
  *read(chunk: Buffer): Generator<Section> {
    this.#parts.push(chunk)
    this.#held += chunk.length
    if (this.#held < this.#needed) return
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#held)
    let at = 0
    for (;;) {
      const length = this.#lengthAt(bytes, at)
      if (length === undefined || length.end > bytes.length) {
        this.#needed = length === undefined ? bytes.length - at + 1 : length.end - at
        break
      }
      const start = this.#offset
      this.#offset += length.end - at
      at = length.end
      const content = bytes.subarray(length.begin, length.end)
      if (this.#needsHeader) this.#readHeader(content)
      else yield sectionOf(content, start, this.#offset)
    }
    const rest = at === 0 ? bytes : bytes.subarray(at)
    this.#parts = rest.length === 0 ? [] : [rest]
    this.#held = rest.length
  }

  /** The end of the bytes. Throws CarError where it lies within a section, or before the header. */
  end(): void {
    if (this.#needsHeader && this.#held === 0) throw new CarError(0, 'it is empty')
    if (this.#held === 0) return
    const [text] = this.#needsHeader ? ['the header'] : ['a section']
    throw new CarError(this.#offset, `it ends within ${text}, ${this.#held} bytes after its start`)
  }

  /** Where the content of the next section lies in these bytes; undefined where its length is not complete. */
  #lengthAt(bytes: Buffer, at: number): { begin: number; end: number } | undefined {
    let length = 0
    for (let shift = 0; shift < 4; shift++) {
      const byte = bytes[at + shift]
      if (byte === undefined) return undefined
      length += (byte & 0x7f) * 128 ** shift
      if (byte >= 0x80) continue
      if (length > SECTION_BYTES_MAX) break
      if (length === 0 && !this.#needsHeader) throw new CarError(this.#offset, 'a section is empty')
      return { begin: at + shift + 1, end: at + shift + 1 + length }
    }
    const reason = `a section has more than ${SECTION_BYTES_MAX} bytes: its length is damaged`
    throw new CarError(this.#offset, reason)
  }

  #readHeader(content: Buffer): void {
    this.#needsHeader = false
    if (content.length === 0) return
    try {
      this.roots = readHeader(content)
    } catch (error) {
      if (!(error instanceof CborError)) throw error
      throw new CarError(0, `it is no CAR file of version 1: its header has ${error.message}`)
    }
  }
}

function sectionOf(content: Buffer, start: number, end: number): Section {
  const key = keyOf(content.subarray(0, CID_BYTES))
  if (key === undefined) throw new CarError(start, 'a section has no CID of a known kind')
  const node = content.length === CID_BYTES ? NOTHING : content.subarray(CID_BYTES)
  if (hash('sha256', node, 'binary') !== key) {
    throw new CarError(start, 'the bytes of a section do not have the hash of its CID')
  }
  return { start, end, key, node }
}

/** The roots. Throws CborError. */
function readHeader(content: Buffer): string[] {
  const reader = new CborReader(content)
  const roots: string[] = []
  let version: number | undefined
  const entries = reader.map()
  for (let entry = 0; entry < entries; entry++) {
    const name = reader.text()
    if (name === 'version') version = reader.count()
    else if (name === 'roots') readRoots(reader, roots)
    else reader.skip()
  }
  if (version !== VERSION) throw new CborError(`version ${version}`)
  if (!reader.isAtEnd) throw new CborError('bytes after its end')
  return roots
}

function readRoots(reader: CborReader, into: string[]): void {
  const count = reader.list()
  for (let at = 0; at < count; at++) {
    const key = keyOf(reader.link())
    if (key === undefined) throw new CborError('a root of another kind')
    into.push(key)
  }
}
