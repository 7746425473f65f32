/**
 * Writes CAR files in the form of Old Faithful's, from their published schema and apart from the readers: every optional part
 * present or absent, data in one frame or in many.
 */
import { createHash } from 'node:crypto'
import { decodeBase58 } from '../../../../domain/numbers/base58.ts'
import { crc64Of, fnv64Of } from './checksums.ts'

/** `meta`: packed; empty where none was recorded. */
type WrittenTransaction = { readonly message: Buffer; readonly meta: Buffer }

export type WrittenBlock = {
  readonly slot: number
  readonly parentSlot: number
  readonly blockhash: string
  /** Unix seconds; null is written as 0. */
  readonly blockTime: number | null
  readonly transactions: readonly WrittenTransaction[]
}

export type CarWriterOptions = {
  /** `root`: of a whole epoch; `empty`: of length 0, as pieces have; `none`: the file begins with a section. */
  header?: 'root' | 'empty' | 'none'
  /** Whether transactions state their position in the block. */
  index?: 'present' | 'absent' | 'null'
  hasRewards?: boolean
  /** Data is split into frames of so many bytes. */
  frameBytes?: number
  checksum?: 'crc64' | 'fnv64' | 'none'
  /** The position of nodes that list blocks. */
  subsets?: 'after' | 'end' | 'none'
  transactionsOfEntry?: number
}

/** Where the nodes of a slot lie, both in bytes. */
type WrittenRow = { readonly start: number; readonly length: number }
export type WrittenCar = { readonly bytes: Buffer; readonly rows: ReadonlyMap<number, WrittenRow> }

const EPOCH_SLOTS = 432_000
const BLOCKS_OF_SUBSET = 10
/** Links of one frame to the frames after it. */
const NEXT_LINKS = 5

export function writeCar(
  blocks: Iterable<WrittenBlock>,
  options: CarWriterOptions = {},
): WrittenCar {
  const writer = new CarWriter(options)
  for (const block of blocks) writer.block(block)
  return writer.finish()
}

/** The list of an epoch's slots. */
export function slotRangesFile({ rows }: WrittenCar, epoch: number): Buffer {
  const bytes = Buffer.alloc(EPOCH_SLOTS * 12)
  for (const [slot, { start, length }] of rows) {
    const at = (slot - epoch * EPOCH_SLOTS) * 12
    bytes.writeBigUInt64LE(BigInt(start), at)
    bytes.writeUInt32LE(length, at + 8)
  }
  return bytes
}

class CarWriter {
  readonly #options: Required<CarWriterOptions>
  readonly #sections: Buffer[] = []
  readonly #rows = new Map<number, WrittenRow>()
  #at: number
  #blocks: { slot: number; cid: Buffer }[] = []
  readonly #subsets: { slots: readonly [number, number]; links: readonly Link[] }[] = []
  readonly #subsetLinks: Link[] = []
  #epoch = 0

  constructor(options: CarWriterOptions) {
    this.#options = {
      header: 'root',
      index: 'present',
      hasRewards: true,
      frameBytes: Number.POSITIVE_INFINITY,
      checksum: 'crc64',
      subsets: 'after',
      transactionsOfEntry: 7,
      ...options,
    }
    this.#at = { root: headerBytes(Buffer.alloc(36)).length, empty: 1, none: 0 }[
      this.#options.header
    ]
  }

  block({ slot, parentSlot, blockhash, blockTime, transactions }: WrittenBlock): void {
    const { transactionsOfEntry, hasRewards } = this.#options
    const start = this.#at
    this.#epoch = Math.floor(slot / EPOCH_SLOTS)
    const entries: Link[] = []
    for (let at = 0; at < transactions.length; at += transactionsOfEntry) {
      const own = transactions.slice(at, at + transactionsOfEntry)
      const links = own.map((each, order) => this.#transaction(each, slot, at + order))
      entries.push(this.#node([1, 12_500, sha256(Buffer.from(`${slot}:${at}`)), links]))
    }
    entries.push(this.#node([1, 12_500, Buffer.from(decodeBase58(blockhash) ?? []), []]))
    const rewards = hasRewards
      ? this.#node([5, slot, this.#frame(Buffer.from(`rewards of ${slot}`))])
      : new Link(Buffer.from([1, 0x55, 0, 0]))
    const shreds = entries.map((_, at) => [at, at % 2 === 0 ? -1 : at])
    const facts = [parentSlot, blockTime ?? 0, ...(hasRewards ? [slot - 20] : [])]
    const { cid } = this.#node([2, slot, shreds, entries, facts, rewards])
    this.#rows.set(slot, { start, length: this.#at - start })
    this.#blocks.push({ slot, cid })
    if (this.#blocks.length === BLOCKS_OF_SUBSET) this.#subset()
  }

  finish(): WrittenCar {
    if (this.#blocks.length > 0) this.#subset()
    const { header, subsets } = this.#options
    for (const { slots, links } of this.#subsets)
      this.#subsetLinks.push(this.#subsetNode(slots, links))
    const root =
      subsets === 'none' ? undefined : this.#node([4, this.#epoch, this.#subsetLinks]).cid
    const head = {
      root: root === undefined ? Buffer.from([0]) : headerBytes(root),
      empty: Buffer.from([0]),
      none: Buffer.alloc(0),
    }[header]
    return { bytes: Buffer.concat([head, ...this.#sections]), rows: this.#rows }
  }

  #subset(): void {
    const slots = [this.#blocks[0]?.slot ?? 0, this.#blocks.at(-1)?.slot ?? 0] as const
    const links = this.#blocks.map(({ cid }) => new Link(cid))
    this.#blocks = []
    if (this.#options.subsets === 'after') this.#subsetLinks.push(this.#subsetNode(slots, links))
    if (this.#options.subsets === 'end') this.#subsets.push({ slots, links })
  }

  /** With a length of the list of links in two bytes, as real ones have it. */
  #subsetNode(slots: readonly [number, number], links: readonly Link[]): Link {
    const head = Buffer.concat([Buffer.from([0x84]), ...[3, ...slots].map(cbor)])
    const length = Buffer.from([0x99, links.length >> 8, links.length & 0xff])
    return this.#section(Buffer.concat([head, length, ...links.map(cbor)]))
  }

  #transaction({ message, meta }: WrittenTransaction, slot: number, order: number): Link {
    const { index } = this.#options
    const last = { present: [order], absent: [], null: [null] }[index]
    return this.#node([0, this.#frame(message), this.#frame(meta), slot, ...last])
  }

  /** The first frame of the data; those after it are written before. */
  #frame(bytes: Buffer): Value {
    const { frameBytes, checksum } = this.#options
    if (bytes.length <= frameBytes) return [6, null, null, null, bytes]
    const parts: Buffer[] = []
    for (let at = 0; at < bytes.length; at += frameBytes) {
      parts.push(bytes.subarray(at, at + frameBytes))
    }
    const hash = { crc64: crc64Of(bytes), fnv64: fnv64Of(bytes), none: null }[checksum]
    const links = new Map<number, Link>()
    for (let at = parts.length - 1; at >= 0; at--) {
      const next = at % NEXT_LINKS === 0 ? linksAfter(links, at) : []
      const last = next.length > 0 ? [next] : at % 2 === 0 ? [null] : []
      const frame = [6, hash, at, parts.length, parts[at] as Buffer, ...last]
      if (at === 0) return frame
      links.set(at, this.#node(frame))
    }
    return null
  }

  #node(value: Value): Link {
    return this.#section(cbor(value))
  }

  #section(node: Buffer): Link {
    const cid = cidOf(node)
    const bytes = Buffer.concat([varint(cid.length + node.length), cid, node])
    this.#sections.push(bytes)
    this.#at += bytes.length
    return new Link(cid)
  }
}

const linksAfter = (links: ReadonlyMap<number, Link>, at: number): Link[] =>
  Array.from({ length: NEXT_LINKS }, (_, order) => links.get(at + 1 + order)).filter(
    (link) => link !== undefined,
  )

class Link {
  readonly cid: Buffer

  constructor(cid: Buffer) {
    this.cid = cid
  }
}

type Value = number | bigint | null | string | Buffer | Link | Map<string, Value> | readonly Value[]

export const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

export const cidOf = (node: Buffer): Buffer =>
  Buffer.concat([Buffer.from([1, 0x71, 0x12, 0x20]), sha256(node)])

const headerBytes = (root: Buffer): Buffer => {
  const header = cbor(
    new Map<string, Value>([
      ['roots', [new Link(root)]],
      ['version', 1],
    ]),
  )
  return Buffer.concat([varint(header.length), header])
}

export function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left])
    bytes.push((left & 0x7f) | 0x80)
  }
}

/** CBOR of a value; a checksum is a signed integer. */
function cbor(value: Value): Buffer {
  if (value === null) return Buffer.from([0xf6])
  if (typeof value === 'bigint') return cborInteger(BigInt.asIntN(64, value))
  if (typeof value === 'number') return cborInteger(BigInt(value))
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (value instanceof Buffer) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Link) {
    return Buffer.concat([
      Buffer.from([0xd8, 42]),
      cbor(Buffer.concat([Buffer.from([0]), value.cid])),
    ])
  }
  if (value instanceof Map) {
    const pairs = [...value].flatMap(([key, each]) => [cbor(key), cbor(each)])
    return Buffer.concat([head(5, value.size), ...pairs])
  }
  const values = value as readonly Value[]
  return Buffer.concat([head(4, values.length), ...values.map(cbor)])
}

const cborInteger = (value: bigint): Buffer => (value < 0n ? head(1, -1n - value) : head(0, value))

function head(major: number, argument: number | bigint): Buffer {
  const value = BigInt(argument)
  if (value < 24n) return Buffer.from([(major << 5) | Number(value)])
  const size = [1, 2, 4, 8].findIndex((bytes) => value < 1n << BigInt(bytes * 8))
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return Buffer.concat([Buffer.from([(major << 5) | (24 + size)]), bytes.subarray(8 - 2 ** size)])
}
