/**
 * Order postings of a segment: eight slots each, with the rows of every slot in canonical order and the hashes of its
 * blocks. Pure.
 *
 *   first slot | slots | of each: difference to the slot before, rows, hashes | all hashes | all rows
 *
 * A row's `blockhash` n is the nth hash of its slot: most slots have one, those of a fork more.
 */
import { decodeBase58, encodeBase58 } from '../../../domain/numbers/base58.ts'
import { ByteReader, ByteWriter } from '../bytes.ts'
import { disclose, unpack } from '../envelope.ts'
import { type Posting, packedPosting, readRows, writeRows } from './row-list.ts'

const ORDER_SLOTS = 8
const HASH_BYTES = 32
const HASH_TEXT_MAX = 44

/** `blockhashes` are base58 of 32 bytes, in the order in which rows number them from 1 on. */
export type SlotRows = { slot: number; rows: readonly number[]; blockhashes: readonly string[] }

/** The number of the posting that has a slot. */
export const orderBucket = (slot: number, firstSlot: number): number =>
  Math.floor(slot / ORDER_SLOTS) - Math.floor(firstSlot / ORDER_SLOTS)

/** `slots` ascend. A posting for each eight slots with rows. */
export function* orderPostings(slots: Iterable<SlotRows>, firstSlot: number): Generator<Posting> {
  let [bucket, pending]: [number, SlotRows[]] = [0, []]
  for (const each of slots) {
    const next = orderBucket(each.slot, firstSlot)
    if (next !== bucket && pending.length > 0) {
      yield postingOf(bucket, pending)
      pending = []
    }
    bucket = next
    pending.push(each)
  }
  if (pending.length > 0) yield postingOf(bucket, pending)
}

function postingOf(bucket: number, slots: readonly SlotRows[]): Posting {
  const writer = new ByteWriter()
  let before = slots[0]!.slot
  writer.varint(before)
  writer.varint(slots.length)
  for (const { slot, rows, blockhashes } of slots) {
    writer.varint(slot - before)
    writer.varint(rows.length)
    writer.varint(blockhashes.length)
    before = slot
  }
  for (const blockhash of slots.flatMap(({ blockhashes }) => blockhashes)) {
    const bytes = decodeBase58(blockhash, HASH_TEXT_MAX)
    if (bytes?.length !== HASH_BYTES) {
      throw new RangeError(`blockhash "${blockhash}": expected base58 of ${HASH_BYTES} bytes`)
    }
    writer.raw(bytes)
  }
  for (const { rows } of slots) writeRows(writer, rows)
  return packedPosting('order', bucket, 0, writer.finish())
}

type SlotHashes = Omit<SlotRows, 'rows'>

/** Slots with rows, ascending. Throws DamagedHistory or UnknownFormat. */
export function slotsOfPosting(bytes: Uint8Array, subject: string): SlotRows[] {
  const { reader, heads, hashes } = open(bytes, subject)
  const slots = heads.map(({ slot, rows }, index) => ({
    slot,
    rows: readRows(reader, rows),
    blockhashes: hashes[index]!.blockhashes,
  }))
  reader.end()
  return slots
}

/** The block hashes of slots with rows, ascending. Throws DamagedHistory or UnknownFormat. */
export function hashesOfPosting(bytes: Uint8Array, subject: string): SlotHashes[] {
  return open(bytes, subject).hashes
}

/** The reader is at the rows. */
function open(bytes: Uint8Array, subject: string) {
  const reader = new ByteReader(unpack(disclose('order', bytes, subject), subject), subject)
  let slot = reader.varint()
  const heads = Array.from({ length: reader.count(3) }, () => {
    slot += reader.varint()
    return { slot, rows: reader.varint(), count: reader.varint() }
  })
  const hashes = heads.map(
    ({ slot, count }): SlotHashes => ({ slot, blockhashes: readHashes(reader, count) }),
  )
  return { reader, heads, hashes }
}

function readHashes(reader: ByteReader, count: number): string[] {
  const bytes = reader.raw(HASH_BYTES * count)
  return Array.from({ length: count }, (_, index) =>
    encodeBase58(bytes.subarray(HASH_BYTES * index, HASH_BYTES * (index + 1))),
  )
}
