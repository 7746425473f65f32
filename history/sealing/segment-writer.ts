/**
 * Writes the blocks and postings of a segment, a slice of its rows at a time in ascending order. The columns of a row that
 * postings and deletes need stay in memory until the end, the others only until its slice is written.
 */
import { setImmediate as pause } from 'node:timers/promises'
import type { Int64 } from '../../domain/amount.ts'
import { hashSignature } from '../../domain/numbers/signature-hash.ts'
import { CopyBuffer, copyIn } from '../../sql/binary/copy-writer.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { FORMAT, KINDS } from '../codec/envelope.ts'
import { fitBlocks } from '../codec/fit.ts'
import type { Posting } from '../codec/postings/row-list.ts'
import { segmentPostings } from '../codec/postings/segment.ts'
import { signatureBits } from '../codec/postings/signature.ts'
import { walletBits } from '../codec/postings/wallet.ts'
import { LARGE_LAMPORTS } from '../swaps/lists.ts'
import { ContentHash, hashText, type TextHash } from './content-hash.ts'
import type { NamedRow } from './named-row.ts'
import { compareCanonically, compareInSlice } from './row-order.ts'

/** The columns of a row that are retained, by its number in the segment. */
type RetainedRow = {
  readonly slot: number
  readonly block_tx_index: number
  readonly pool_id: number
  readonly wallet_id: number
  readonly sol_amount: Int64
  readonly pairHash: number
  readonly isInTable: boolean
}
export type WrittenSegment = {
  readonly id: number
  readonly rows: readonly RetainedRow[]
  /** Halves of the hash of each row's signature. */
  readonly signatureHalves: Int32Array
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
  private readonly rows: RetainedRow[] = []
  private readonly canonical: number[] = []
  private readonly halves: number[] = []
  private readonly blockhashes = new Map<number, string[]>()
  private readonly content = new ContentHash()
  private blockCount = 0
  private bytes = 0

  static async begin(connection: Connection): Promise<SegmentWriter> {
    return new SegmentWriter(connection, (await takeId(connection))[0]!.id)
  }

  private constructor(connection: Connection, id: number) {
    this.connection = connection
    this.id = id
  }

  get rowCount(): number {
    return this.rows.length
  }

  /** All rows of a slice that are sealed. Sorts them. */
  async addSlice(slice: NamedRow[]): Promise<void> {
    slice.sort(compareInSlice)
    const base = this.rows.length
    const hashes = new Map<string, TextHash>()
    for (const row of slice) this.retain(row, hashes)
    const canonical = Uint32Array.from(slice.keys())
    canonical.sort((a, b) => compareCanonically(slice[a]!, slice[b]!))
    for (const index of canonical) this.canonical.push(base + index)
    const rows = slice.map(({ sealed }) => sealed)
    await this.insertBlocks(rows, base)
  }

  /** Numbers the row's block hash, and hashes the row. */
  private retain(
    { sealed, signature, blockhash, pair, wallet, isInTable }: NamedRow,
    hashes: Map<string, TextHash>,
  ): void {
    if (blockhash !== null) sealed.blockhash = this.numberOf(sealed.slot, blockhash)
    this.content.add(sealed, {
      pairAddress: pair.hash,
      walletAddress: wallet.hash,
      blockhash: blockhash === null ? undefined : hashOf(hashes, blockhash),
    })
    hashSignature(signature, signatureHalves, 0)
    this.halves.push(signatureHalves[0]!, signatureHalves[1]!)
    const { slot, block_tx_index, pool_id, wallet_id, sol_amount } = sealed
    this.rows.push({
      ...{ slot, block_tx_index, pool_id, wallet_id, sol_amount },
      ...{ pairHash: pair.pairHash, isInTable },
    })
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

  private async insertBlocks(rows: NamedRow['sealed'][], base: number): Promise<void> {
    const copy = new Copies(this.connection, COPY_BLOCKS)
    for (const { firstRow, bytes } of fitBlocks(rows)) {
      if (this.blockCount % BLOCKS_AT_ONCE === 0) await pause()
      await copy.row(3, bytes.length, (buffer) => {
        buffer.int4(this.id)
        buffer.int4(base + firstRow)
        buffer.raw(bytes)
      })
      this.blockCount += 1
    }
    this.bytes += await copy.end()
  }

  /** Inserts the postings and the row that publishes the segment. */
  async finish(): Promise<WrittenSegment> {
    const { rows } = this
    const halves = Int32Array.from(this.halves)
    const canonical = Uint32Array.from(this.canonical)
    const copy = new Copies(this.connection, COPY_POSTINGS)
    for (const posting of segmentPostings({
      rows,
      canonical,
      signatureHalves: halves,
      blockhashes: this.blockhashes,
      largeLamports: Number(LARGE_LAMPORTS),
    })) {
      await copy.row(5, posting.bytes.length, (buffer) => this.writePosting(buffer, posting))
    }
    this.bytes += await copy.end()
    await insertSegment(this.connection, [
      this.id,
      rows[canonical[0]!]!.slot,
      rows[canonical.at(-1)!]!.slot,
      FORMAT,
      rows.length,
      this.blockCount,
      signatureBits(rows.length),
      walletBits(rows.length),
      this.content.finish(),
    ])
    return { id: this.id, rows, signatureHalves: halves, bytes: this.bytes }
  }

  private writePosting(buffer: CopyBuffer, { kind, bucket, part, bytes }: Posting): void {
    buffer.int4(this.id)
    buffer.int2(KINDS[kind])
    buffer.int4(bucket)
    buffer.int4(part)
    buffer.raw(bytes)
  }
}

const signatureHalves = new Int32Array(2)

function hashOf(hashes: Map<string, TextHash>, text: string): TextHash {
  const known = hashes.get(text)
  if (known !== undefined) return known
  const hash = hashText(text)
  hashes.set(text, hash)
  return hash
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
