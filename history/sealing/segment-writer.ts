/**
 * Writes the blocks and postings of a segment, a part of its slots at a time in ascending order. The columns of a row that
 * postings and deletes need stay in memory until the end, the others only until its part is written.
 */
import { setImmediate as pause } from 'node:timers/promises'
import type { Int64 } from '../../domain/amount.ts'
import { CopyBuffer, copyIn } from '../../sql/binary/copy-writer.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { formatOf, KINDS } from '../codec/envelope.ts'
import { fitBlocks } from '../codec/fit.ts'
import type { Posting } from '../codec/postings/row-list.ts'
import { segmentPostings } from '../codec/postings/segment.ts'
import { signatureBits } from '../codec/postings/signature.ts'
import { walletBits } from '../codec/postings/wallet.ts'
import { LARGE_LAMPORTS } from '../swaps/lists.ts'
import { ContentHash, hashText } from './content-hash.ts'
import type { Names } from './names.ts'
import type { PartRows } from './part-rows.ts'
import { canonicalOrder, poolOrder } from './row-order.ts'

/** The columns of the rows of a segment that are retained, by row number. */
type RetainedRows = {
  readonly slots: Float64Array
  readonly txIndexes: Float64Array
  readonly poolIds: Int32Array
  readonly walletIds: Int32Array
  readonly pairHashes: Int32Array
  /** 1 for each of a kind, else 0. */
  readonly isLarge: Uint8Array
  readonly isInTable: Uint8Array
  /** Row numbers in canonical order. */
  readonly canonical: Uint32Array
  /** Halves of the hash of each row's signature. */
  readonly signatureHalves: Int32Array
}
export type WrittenSegment = {
  readonly id: number
  readonly rows: RetainedRows
  readonly bytes: number
}

const COPY_BLOCKS = 'copy swap_block (segment_id, first_row, bytes) from stdin (format binary)'
const COPY_POSTINGS =
  'copy swap_posting (segment_id, kind, bucket, part, bytes) from stdin (format binary)'
/** Bytes that a copy sends at once. */
const COPY_BYTES = 2 ** 20
/** The fields of a row but its bytes, with their lengths. */
const FIELDS_BYTES = 64

/** About 50 ms of work, between which the process serves others. */
const BLOCKS_AT_ONCE = 32

const takeId = query<{ id: number }>('sealing/take_segment_id')
const insertSegment = query('sealing/insert_segment')

export class SegmentWriter {
  private readonly connection: Connection
  private readonly id: number
  private readonly parts: RetainedRows[] = []
  private readonly blockhashes = new Map<number, string[]>()
  private readonly content = new ContentHash()
  private rowsWritten = 0
  private blockCount = 0
  private format = 1
  private bytes = 0

  static async begin(connection: Connection): Promise<SegmentWriter> {
    return new SegmentWriter(connection, (await takeId(connection))[0]!.id)
  }

  private constructor(connection: Connection, id: number) {
    this.connection = connection
    this.id = id
  }

  get rowCount(): number {
    return this.rowsWritten
  }

  /** The sealed rows of a run of slots within a slice, after those of all earlier slots. `rows` are in the order of the segment afterwards. */
  async addPart(rows: PartRows, names: Names): Promise<void> {
    const sealed = rowsSealed(rows)
    const canonical = canonicalOrder(rows.columns, sealed, names)
    const order = poolOrder(rows.columns, canonical)
    const numbers = numbersIn(order, canonical, rows.count)
    rows.arrange(order)
    const base = this.rowsWritten
    this.numberHashes(rows)
    this.hashRows(rows, names)
    this.parts.push(retainedOf(rows, numbers, names, base))
    this.rowsWritten += rows.count
    await this.insertBlocks(rows, base)
  }

  /** Sets each row's number of its block hash in its slot, in the order of the segment. */
  private numberHashes(rows: PartRows): void {
    const { blockhash } = rows.columns.integers
    for (let row = 0; row < rows.count; row++) {
      const hash = rows.hashNumbers[row] as number
      blockhash.set(row, hash === 0 ? 0 : this.numberOf(rows.slot(row), rows.hashes[hash]!))
    }
  }

  private numberOf(slot: number, blockhash: string): number {
    const known = this.blockhashes.get(slot)
    if (known === undefined) {
      this.blockhashes.set(slot, [blockhash])
      return 1
    }
    const at = known.indexOf(blockhash)
    return at >= 0 ? at + 1 : known.push(blockhash)
  }

  private hashRows({ columns, hashes, hashNumbers }: PartRows, names: Names): void {
    const hashed = hashes.map((text, number) => (number === 0 ? undefined : hashText(text)))
    const { pool_id: pools, wallet_id: wallets } = columns.integers
    this.content.add(columns, {
      pairOf: (row) => names.pair(pools.low[row] as number).hash,
      walletOf: (row) => names.wallet(wallets.low[row] as number).hash,
      blockhashOf: (row) => hashed[hashNumbers[row] as number],
    })
  }

  private async insertBlocks(rows: PartRows, base: number): Promise<void> {
    const copy = new Copies(this.connection, COPY_BLOCKS)
    for (const { firstRow, bytes } of fitBlocks(rows.columns)) {
      if (this.blockCount % BLOCKS_AT_ONCE === 0) await pause()
      await copy.row(3, bytes.length, (buffer) => {
        buffer.int4(this.id)
        buffer.int4(base + firstRow)
        buffer.raw(bytes)
      })
      this.blockCount += 1
      this.format = Math.max(this.format, formatOf(bytes))
    }
    this.bytes += await copy.end()
  }

  /** Inserts the postings and the row that publishes the segment. */
  async finish(): Promise<WrittenSegment> {
    const rows = joined(this.parts)
    const { slots, canonical } = rows
    const copy = new Copies(this.connection, COPY_POSTINGS)
    for (const posting of segmentPostings({ ...rows, blockhashes: this.blockhashes })) {
      await copy.row(5, posting.bytes.length, (buffer) => this.writePosting(buffer, posting))
    }
    this.bytes += await copy.end()
    await insertSegment(this.connection, [
      this.id,
      slots[canonical[0]!],
      slots[canonical.at(-1)!],
      this.format,
      slots.length,
      this.blockCount,
      signatureBits(slots.length),
      walletBits(slots.length),
      this.content.finish(),
    ])
    return { id: this.id, rows, bytes: this.bytes }
  }

  private writePosting(buffer: CopyBuffer, { kind, bucket, part, bytes }: Posting): void {
    buffer.int4(this.id)
    buffer.int2(KINDS[kind])
    buffer.int4(bucket)
    buffer.int4(part)
    buffer.raw(bytes)
  }
}

function rowsSealed({ count, isSealed }: PartRows): Uint32Array {
  const sealed = new Uint32Array(count)
  let found = 0
  for (let row = 0; row < count; row++) if (isSealed[row] === 1) sealed[found++] = row
  return sealed.subarray(0, found)
}

/** Ranks of rows in an order, by the number that each has of `count`. */
function numbersIn(order: Uint32Array, rows: Uint32Array, count: number): Uint32Array {
  const ranks = new Uint32Array(count)
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank] as number] = rank
  return rows.map((row) => ranks[row] as number)
}

/** `canonical`: numbers of the rows in canonical order; `base`: the number of the first row in the segment. */
function retainedOf(
  rows: PartRows,
  canonical: Uint32Array,
  names: Names,
  base: number,
): RetainedRows {
  const { count } = rows
  const {
    block_tx_index: txIndex,
    wallet_id: walletId,
    sol_amount: lamports,
  } = rows.columns.integers
  const retained = emptyRows(count)
  for (let row = 0; row < count; row++) {
    const poolId = rows.poolId(row)
    retained.slots[row] = rows.slot(row)
    retained.txIndexes[row] = txIndex.near(row)
    retained.poolIds[row] = poolId
    retained.pairHashes[row] = names.pair(poolId).pairHash
    retained.isLarge[row] = Number(isLarge(lamports.get(row)))
    retained.canonical[row] = base + (canonical[row] as number)
  }
  retained.walletIds.set(walletId.low.subarray(0, count))
  retained.isInTable.set(rows.isInTable.subarray(0, count))
  retained.signatureHalves.set(rows.halves.subarray(0, 2 * count))
  return retained
}

export const isLarge = (lamports: Int64): boolean => lamports >= LARGE_LAMPORTS

const emptyRows = (count: number): RetainedRows => ({
  slots: new Float64Array(count),
  txIndexes: new Float64Array(count),
  poolIds: new Int32Array(count),
  walletIds: new Int32Array(count),
  pairHashes: new Int32Array(count),
  isLarge: new Uint8Array(count),
  isInTable: new Uint8Array(count),
  canonical: new Uint32Array(count),
  signatureHalves: new Int32Array(2 * count),
})

/** The rows of parts, in their order. */
function joined(parts: readonly RetainedRows[]): RetainedRows {
  const all = emptyRows(parts.reduce((sum, { slots }) => sum + slots.length, 0))
  let at = 0
  for (const part of parts) {
    all.slots.set(part.slots, at)
    all.txIndexes.set(part.txIndexes, at)
    all.poolIds.set(part.poolIds, at)
    all.walletIds.set(part.walletIds, at)
    all.pairHashes.set(part.pairHashes, at)
    all.isLarge.set(part.isLarge, at)
    all.isInTable.set(part.isInTable, at)
    all.canonical.set(part.canonical, at)
    all.signatureHalves.set(part.signatureHalves, 2 * at)
    at += part.slots.length
  }
  return all
}

/** Rows of a table, copied about a megabyte at a time. */
class Copies {
  private readonly connection: Connection
  private readonly statement: string
  private buffer: CopyBuffer | undefined
  private pending = 0
  private total = 0

  constructor(connection: Connection, statement: string) {
    this.connection = connection
    this.statement = statement
  }

  async row(fields: number, bytes: number, write: (buffer: CopyBuffer) => void): Promise<void> {
    this.buffer ??= new CopyBuffer(COPY_BYTES)
    this.buffer.row(fields, bytes + FIELDS_BYTES)
    write(this.buffer)
    this.pending += bytes
    this.total += bytes
    if (this.pending >= COPY_BYTES) await this.send()
  }

  /** Returns the bytes of all rows. */
  async end(): Promise<number> {
    await this.send()
    return this.total
  }

  private async send(): Promise<void> {
    if (this.buffer === undefined) return
    await copyIn(this.connection, this.statement, this.buffer.finish())
    this.buffer = undefined
    this.pending = 0
  }
}
