/**
 * Verifies sealed history in one snapshot: the checksum of every block and posting, the rows and the content hash of every
 * segment, and that its postings are those that its rows give. Reports what is damaged by its name; changes nothing.
 */
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import { hashSignature } from '../../domain/numbers/signature-hash.ts'
import { counted } from '../../domain/text/plural.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { decodeBlockColumns } from '../codec/block.ts'
import { SwapColumns } from '../codec/columns/swap-columns.ts'
import {
  blockName,
  DamagedHistory,
  KINDS,
  type Kind,
  postingName,
  UnknownFormat,
} from '../codec/envelope.ts'
import { slotsOfPosting } from '../codec/postings/order.ts'
import { segmentPostings } from '../codec/postings/segment.ts'
import { blocksOf } from '../sealed/scan/blocks.ts'
import { ContentHash, hashText, type TextHash } from './content-hash.ts'
import { Names } from './names.ts'
import { canonicalOrder } from './row-order.ts'
import { isLarge } from './segment-writer.ts'

type SegmentReport = {
  readonly id: number
  readonly firstSlot: number
  readonly lastSlot: number
  readonly rows: number
  /** Errors, at most ten; none: it is whole. */
  readonly damage: readonly string[]
}

type SegmentRow = {
  id: number
  first_slot: number
  last_slot: number
  row_count: number
  block_count: number
  gone_count: number
  content_hash: string
}
type BlockRow = { first_row: number; bytes: Uint8Array }
type PostingRow = { kind: number; bucket: number; part: number; bytes: Uint8Array }

const DAMAGE_MAX = 10

const listSegments = query<SegmentRow>('sealing/list_segments')
const listPostings = query<PostingRow>('sealing/list_segment_postings')
const countGone = query<{ gone: number; beyond: number }>('sealing/count_segment_gone')

const KIND_NAMES = new Map(
  Object.entries(KINDS).map(([name, kind]) => [kind as number, name as Kind]),
)

/** Segments by slot. Within a snapshot. */
export async function* verifyHistory(
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<SegmentReport> {
  let before: SegmentRow | undefined
  for (const segment of await listSegments(connection)) {
    signal.throwIfAborted()
    const damage = await new SegmentVerification(connection, segment).run()
    if (before !== undefined && before.last_slot >= segment.first_slot) {
      damage.push(`it overlaps segment ${before.id}`)
    }
    before = segment
    const { id, first_slot: firstSlot, last_slot: lastSlot, row_count: rows } = segment
    yield { id, firstSlot, lastSlot, rows, damage: damage.slice(0, DAMAGE_MAX) }
  }
}

class SegmentVerification {
  private readonly connection: Connection
  private readonly segment: SegmentRow
  private readonly damage: string[] = []
  private readonly rows = new SwapColumns(0)
  private readonly blockhashes = new Map<number, readonly string[]>()

  constructor(connection: Connection, segment: SegmentRow) {
    this.connection = connection
    this.segment = segment
  }

  async run(): Promise<string[]> {
    await this.readBlocks()
    const postings = await this.readPostings()
    // Rows of a damaged block are missing, so sums over rows and postings would only report it again.
    if (this.damage.length === 0) await this.compareRows(postings)
    return this.damage
  }

  private async readBlocks(): Promise<void> {
    const { id, row_count: rowCount, block_count: blockCount } = this.segment
    let [blocks, next] = [0, 0]
    for await (const page of blocksOf(this.connection, id)) {
      for (const { first_row: firstRow, bytes } of page) {
        const name = blockName(id, firstRow)
        if (firstRow !== next) this.damage.push(`rows ${next} to ${firstRow - 1} are in no block`)
        const rows = this.readable(() => decodeBlockColumns(bytes, name))
        next = firstRow + (rows?.count ?? 0)
        if (rows === undefined) next = this.afterDamaged(page, firstRow)
        else this.rows.append(rows, 0, rows.count)
        blocks += 1
      }
    }
    if (blocks !== blockCount)
      this.damage.push(`${counted(blocks, 'block')}, expected ${blockCount}`)
    if (this.damage.length === 0 && this.rows.count !== rowCount) {
      this.damage.push(`${counted(this.rows.count, 'row')}, expected ${rowCount}`)
    }
    const [gone] = await countGone(this.connection, [id, rowCount])
    if (gone!.gone !== this.segment.gone_count || gone!.beyond > 0) {
      this.damage.push(
        `${counted(gone!.gone, 'row')} gone, expected ${this.segment.gone_count} of its own`,
      )
    }
  }

  /** How many rows a damaged block had follows from the block after it. */
  private afterDamaged(page: readonly BlockRow[], firstRow: number): number {
    return page.find((block) => block.first_row > firstRow)?.first_row ?? firstRow
  }

  private async readPostings(): Promise<Map<string, Uint8Array>> {
    const postings = new Map<string, Uint8Array>()
    for (const { kind, bucket, part, bytes } of await listPostings(this.connection, [
      this.segment.id,
    ])) {
      const name = postingName(this.segment.id, KIND_NAMES.get(kind) ?? 'order', bucket, part)
      postings.set(name, bytes)
      if (kind !== KINDS.order) continue
      for (const { slot, blockhashes } of this.readable(() => slotsOfPosting(bytes, name)) ?? []) {
        this.blockhashes.set(slot, blockhashes)
      }
    }
    return postings
  }

  private async compareRows(stored: Map<string, Uint8Array>): Promise<void> {
    const { rows, segment } = this
    const names = new Names()
    await names.load(this.connection, rows)
    const content = new ContentHash()
    const signatureHalves = new Int32Array(2 * rows.count)
    const { slot, pool_id: pool, wallet_id: wallet, sol_amount: lamports } = rows.integers
    for (let row = 0; row < rows.count; row++) {
      hashSignature(encodeBase58(rows.signature(row)), signatureHalves, 2 * row)
    }
    content.add(rows, {
      pairOf: (row) => names.pair(pool.low[row] as number).hash,
      walletOf: (row) => names.wallet(wallet.low[row] as number).hash,
      blockhashOf: (row) => this.blockhashOf(row),
    })
    if (content.finish() !== segment.content_hash) {
      this.damage.push(
        `its rows have the hash ${content.finish()}, expected ${segment.content_hash}`,
      )
    }
    const made = segmentPostings({
      slots: Float64Array.from(rows.order(), (row) => slot.near(row)),
      poolIds: pool.low.subarray(0, rows.count),
      walletIds: wallet.low,
      isLarge: Uint8Array.from(rows.order(), (row) => Number(isLarge(lamports.get(row)))),
      canonical: canonicalOrder(rows, rows.order(), names),
      signatureHalves,
      blockhashes: this.blockhashes,
    })
    this.comparePostings(stored, made)
  }

  private comparePostings(
    stored: Map<string, Uint8Array>,
    made: Iterable<{ kind: Kind; bucket: number; part: number; bytes: Uint8Array }>,
  ): void {
    const left = new Set(stored.keys())
    for (const { kind, bucket, part, bytes } of made) {
      const name = postingName(this.segment.id, kind, bucket, part)
      const found = stored.get(name)
      left.delete(name)
      if (found === undefined) this.damage.push(`${name} is missing`)
      else if (Buffer.compare(found, bytes) !== 0)
        this.damage.push(`${name} is not that of its rows`)
    }
    for (const name of left) this.damage.push(`${name} is of no row`)
  }

  private blockhashOf(row: number): TextHash | undefined {
    const { slot, blockhash: number } = this.rows.integers
    const text = this.blockhashes.get(slot.near(row))?.[number.near(row) - 1]
    return text === undefined ? undefined : hashText(text)
  }

  /** The result, undefined where the bytes are damaged. */
  private readable<Read>(read: () => Read): Read | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof DamagedHistory || error instanceof UnknownFormat)) throw error
      this.damage.push(error.message)
      return undefined
    }
  }
}
