/**
 * Wallet postings of a segment: from a wallet's id to its rows in canonical order. Pure.
 *
 *   bucket   low bits of the id, as many as the segment has `wallet_bits`: wallets by ascending id, a row list each
 *   heavy    a wallet of more than 600 rows has postings of its own, 600 rows a part, so that its neighbours in a bucket
 *            need not read past it; its bucket lists it with no rows
 */
import { ByteReader, ByteWriter } from '../bytes.ts'
import { disclose, unpack } from '../envelope.ts'
import {
  type Posting,
  packedPosting,
  type RowList,
  readRowList,
  skipRowList,
  writeRowList,
} from './row-list.ts'

/** Rows of a part of a heavy wallet, and of a wallet in a bucket at most. */
const PART_ROWS = 600
/** Wallet's rows of a bucket on average: about 4 kB, read at once. */
const ENTRIES = 1_000

/** Bits of a wallet's id that choose its bucket, for a segment of so many rows. */
export function walletBits(rowCount: number): number {
  return Math.max(0, Math.ceil(Math.log2(rowCount / ENTRIES)))
}

export const walletBucket = (walletId: number, bits: number): number => walletId % 2 ** bits

/** `lists` by wallet id, each in canonical order; `firstSlot` is that of the segment. */
export function* walletPostings(
  lists: ReadonlyMap<number, RowList>,
  bits: number,
  firstSlot: number,
): Generator<Posting> {
  const buckets = Map.groupBy(lists, ([walletId]) => walletBucket(walletId, bits))
  for (const [bucket, wallets] of [...buckets].sort(([a], [b]) => a - b)) {
    const writer = new ByteWriter()
    writer.varint(firstSlot)
    writer.varint(wallets.length)
    let before = 0
    for (const [walletId, list] of wallets.toSorted(([a], [b]) => a - b)) {
      const high = Math.floor(walletId / 2 ** bits)
      writer.varint(high - before)
      before = high
      const isHeavy = list.rows.length > PART_ROWS
      writeRowList(writer, isHeavy ? { slots: [], rows: [] } : list, firstSlot)
      if (isHeavy) yield* parts(walletId, list)
    }
    yield packedPosting('wallet', bucket, 0, writer.finish())
  }
}

function* parts(walletId: number, { slots, rows }: RowList): Generator<Posting> {
  for (let part = 0, from = 0; from < rows.length; part++, from += PART_ROWS) {
    const writer = new ByteWriter(8 * PART_ROWS)
    const until = from + PART_ROWS
    const base = slots[from] as number
    writer.varint(base)
    writeRowList(writer, { slots: slots.slice(from, until), rows: rows.slice(from, until) }, base)
    yield packedPosting('heavy_wallet', walletId, part, writer.finish())
  }
}

/**
 * Rows of some wallets of a bucket by its posting: 'heavy' where they are in parts of the wallet's own, absent where the
 * segment has none. Throws DamagedHistory or UnknownFormat.
 */
export function rowsOfWallets(
  bytes: Uint8Array,
  wallets: { ids: readonly number[]; bits: number },
  subject: string,
): Map<number, RowList | 'heavy'> {
  const reader = new ByteReader(unpack(disclose('wallet', bytes, subject), subject), subject)
  const firstSlot = reader.varint()
  const count = reader.count(2)
  const wanted = new Map(wallets.ids.map((id) => [Math.floor(id / 2 ** wallets.bits), id]))
  const found = new Map<number, RowList | 'heavy'>()
  let high = 0
  for (let index = 0; index < count; index++) {
    high += reader.varint()
    const id = wanted.get(high)
    if (id === undefined) {
      skipRowList(reader)
      continue
    }
    const list = readRowList(reader, firstSlot)
    found.set(id, list.rows.length === 0 ? 'heavy' : list)
  }
  reader.end()
  return found
}

/** One part of a heavy wallet. Throws DamagedHistory or UnknownFormat. */
export function rowsOfPart(bytes: Uint8Array, subject: string): RowList {
  const reader = new ByteReader(unpack(disclose('heavy_wallet', bytes, subject), subject), subject)
  const list = readRowList(reader, reader.varint())
  reader.end()
  return list
}
