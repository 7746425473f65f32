/**
 * Nodes of Old Faithful's CAR files: lists whose first element is the kind. Elements at the end may be null or absent. Pure.
 *
 * Links are read as the hash in their CID. Nodes that only list others (Subset, Epoch) and rewards are known and passed over:
 * blocks come in the order of slots, whatever lists them.
 */
import { CborError, CborReader } from './cbor.ts'
import { keyOf } from './sections.ts'

const KIND = {
  transaction: 0,
  entry: 1,
  block: 2,
  subset: 3,
  epoch: 4,
  rewards: 5,
  frame: 6,
} as const

/** A part of some data, or all of it. `next`: frames that hold the rest. */
export type Frame = {
  /** Checksum of the whole, 64 bits. */
  readonly hash: bigint | undefined
  readonly index: number | undefined
  /** Frames of the whole. */
  readonly total: number | undefined
  readonly content: Buffer
  readonly next: readonly string[]
}

export type TransactionNode = {
  readonly kind: 'transaction'
  readonly message: Frame
  readonly meta: Frame
  readonly slot: number
  readonly index: number | undefined
}

export type EntryNode = {
  readonly kind: 'entry'
  readonly hash: Buffer
  readonly transactions: readonly string[]
}

export type BlockNode = {
  readonly kind: 'block'
  readonly slot: number
  readonly parentSlot: number
  /** Unix seconds; 0 where the chain recorded none. */
  readonly time: number
  readonly entries: readonly string[]
}

type Node =
  | TransactionNode
  | EntryNode
  | BlockNode
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'epoch'; readonly epoch: number }
  | { readonly kind: 'subset' | 'rewards' }

const HASH_BYTES = 32

/** Throws CborError. */
export function readNode(bytes: Buffer): Node {
  const reader = new CborReader(bytes)
  const elements = new Elements(reader)
  const node = readElements(elements, reader)
  elements.finish()
  if (!reader.isAtEnd) throw new CborError('bytes after the end of a node')
  return node
}

function readElements(elements: Elements, reader: CborReader): Node {
  elements.expect('a kind')
  const kind = reader.count()
  switch (kind) {
    case KIND.transaction:
      return readTransaction(elements, reader)
    case KIND.entry:
      return readEntry(elements, reader)
    case KIND.block:
      return readBlock(elements, reader)
    case KIND.epoch:
      elements.expect('the number of an epoch')
      return { kind: 'epoch', epoch: reader.count() }
    case KIND.frame:
      return { kind: 'frame', frame: readFrame(elements, reader) }
    case KIND.subset:
      return { kind: 'subset' }
    case KIND.rewards:
      return { kind: 'rewards' }
    default:
      throw new CborError(`a node of kind ${kind}, which is not known`)
  }
}

/** The elements of a list, which may end early. */
class Elements {
  readonly #reader: CborReader
  #left: number

  constructor(reader: CborReader) {
    this.#reader = reader
    this.#left = reader.list()
  }

  /** Before an element that must be there. */
  expect(name: string): void {
    if (this.#left-- <= 0) throw new CborError(`a node without ${name}`)
  }

  /** Whether the next element is there and not null. */
  has(): boolean {
    if (this.#left <= 0) return false
    this.#left--
    return !this.#reader.takeNull()
  }

  /** Passes over those that are left. */
  finish(): void {
    for (; this.#left > 0; this.#left--) this.#reader.skip()
  }
}

function readTransaction(elements: Elements, reader: CborReader): TransactionNode {
  elements.expect('the data of its transaction')
  const message = readInnerFrame(reader)
  elements.expect('the metadata of its transaction')
  const meta = readInnerFrame(reader)
  elements.expect('the slot of its transaction')
  const slot = reader.count()
  const index = elements.has() ? reader.count() : undefined
  return { kind: 'transaction', message, meta, slot, index }
}

function readInnerFrame(reader: CborReader): Frame {
  const elements = new Elements(reader)
  elements.expect('a kind')
  const kind = reader.count()
  if (kind !== KIND.frame) throw new CborError(`a node of kind ${kind}, expected a frame`)
  const frame = readFrame(elements, reader)
  elements.finish()
  return frame
}

function readFrame(elements: Elements, reader: CborReader): Frame {
  const hash = elements.has() ? reader.bits64() : undefined
  const index = elements.has() ? reader.count() : undefined
  const total = elements.has() ? reader.count() : undefined
  elements.expect('the bytes of a frame')
  const content = reader.bytes()
  const next = elements.has() ? readLinks(reader) : NO_LINKS
  return { hash, index, total, content, next }
}

const NO_LINKS: readonly string[] = []

function readLinks(reader: CborReader): readonly string[] {
  const count = reader.list()
  if (count === 0) return NO_LINKS
  const keys: string[] = []
  for (let at = 0; at < count; at++) {
    const key = keyOf(reader.link())
    if (key === undefined) throw new CborError('a link of another kind')
    keys.push(key)
  }
  return keys
}

function readEntry(elements: Elements, reader: CborReader): EntryNode {
  elements.expect('the number of hashes')
  reader.skip()
  elements.expect('the hash of an entry')
  const hash = reader.bytes()
  if (hash.length !== HASH_BYTES) throw new CborError(`a hash of ${hash.length} bytes`)
  const transactions = elements.has() ? readLinks(reader) : NO_LINKS
  return { kind: 'entry', hash, transactions }
}

function readBlock(elements: Elements, reader: CborReader): BlockNode {
  elements.expect('the slot of a block')
  const slot = reader.count()
  elements.expect('the shreds of a block')
  reader.skip()
  elements.expect('the entries of a block')
  const entries = readLinks(reader)
  elements.expect('the parent of a block')
  const facts = new Elements(reader)
  facts.expect('the parent of a block')
  const parentSlot = reader.count()
  const time = facts.has() ? reader.integer() : 0
  facts.finish()
  return { kind: 'block', slot, parentSlot, time, entries }
}
