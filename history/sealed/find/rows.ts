/** Reads rows of segments by their numbers. */
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { decodeBlock } from '../../codec/block.ts'
import { blockName, DamagedHistory } from '../../codec/envelope.ts'
import { orderBucket, slotsOfPosting } from '../../codec/postings/order.ts'
import type { SealedSwap } from '../../codec/row.ts'
import type { Segment } from '../state.ts'
import type { StoredSwap } from '../stored-swap.ts'
import { loadPostings } from './postings.ts'

/** Rows of a segment by number. */
export type RowNumbers = { readonly segment: Segment; readonly rows: readonly number[] }
export type LocatedSwap = {
  readonly segmentId: number
  readonly rowNumber: number
  readonly swap: StoredSwap
}
type Decoded = { readonly segment: Segment; readonly rowNumber: number; readonly row: SealedSwap }
type BlockRow = { segment_id: number; first_row: number; bytes: Uint8Array }

const listBlocks = query<BlockRow>('sealed-history/list_blocks')
const listGone = query<{ row_number: number }>('sealed-history/list_gone')

/** The rows that still count, in their order. */
export async function countingRows<Row extends { readonly row: number }>(
  db: Queryable,
  segment: Segment,
  list: readonly Row[],
): Promise<readonly Row[]> {
  if (segment.goneCount === 0 || list.length === 0) return list
  const rows = await listGone(db, [segment.id, list.map(({ row }) => row)])
  const gone = new Set(rows.map((each) => each.row_number))
  return list.filter(({ row }) => !gone.has(row))
}

/** Rows that count, unordered. Throws DamagedHistory. */
export async function loadRows(
  db: Queryable,
  wanted: readonly RowNumbers[],
): Promise<LocatedSwap[]> {
  const some = wanted.filter(({ rows }) => rows.length > 0)
  if (some.length === 0) return []
  const decoded = await decodedRows(db, some)
  const hashes = await loadBlockhashes(db, decoded)
  return decoded.map(({ segment, rowNumber, row }) => ({
    segmentId: segment.id,
    rowNumber,
    swap: {
      ...row,
      signature: encodeBase58(row.signature),
      blockhash: row.blockhash === 0 ? null : hashes(segment, row),
    },
  }))
}

async function decodedRows(db: Queryable, wanted: readonly RowNumbers[]): Promise<Decoded[]> {
  const blocks = await listBlocks(db, [
    wanted.flatMap(({ segment, rows }) => rows.map(() => segment.id)),
    wanted.flatMap(({ rows }) => rows),
  ])
  const bySegment = Map.groupBy(blocks, (block) => block.segment_id)
  return wanted.flatMap(({ segment, rows }) => {
    const own = (bySegment.get(segment.id) ?? []).toSorted((a, b) => a.first_row - b.first_row)
    return rowsOfBlocks(segment, rows, own)
  })
}

/** `blocks` ascend. */
function rowsOfBlocks(
  segment: Segment,
  rows: readonly number[],
  blocks: readonly BlockRow[],
): Decoded[] {
  const ascending = rows.toSorted((a, b) => a - b)
  const decoded: Decoded[] = []
  let at = 0
  let open: { firstRow: number; rows: SealedSwap[] } | undefined
  for (const rowNumber of ascending) {
    while (at < blocks.length && blocks[at]!.first_row <= rowNumber) {
      open = undefined
      at += 1
    }
    const block = blocks[at - 1]
    if (block !== undefined && open === undefined) {
      const subject = blockName(segment.id, block.first_row)
      open = { firstRow: block.first_row, rows: decodeBlock(block.bytes, subject) }
    }
    const row = open?.rows[rowNumber - open.firstRow]
    if (row === undefined) throw missing(segment, rowNumber)
    decoded.push({ segment, rowNumber, row })
  }
  return decoded
}

const missing = (segment: Segment, rowNumber: number): DamagedHistory =>
  new DamagedHistory(blockName(segment.id, rowNumber), 'no block has this row')

/** Hashes of the blocks of rows, which the order postings of their slots list. */
async function loadBlockhashes(
  db: Queryable,
  decoded: readonly Decoded[],
): Promise<(segment: Segment, row: SealedSwap) => string> {
  const wanted = new Map<string, { segment: Segment; bucket: number }>()
  for (const { segment, row } of decoded) {
    if (row.blockhash === 0) continue
    const bucket = orderBucket(row.slot, segment.firstSlot)
    wanted.set(`${segment.id} ${bucket}`, { segment, bucket })
  }
  const bySlot = new Map<string, readonly string[]>()
  for (const { segmentId, bytes, subject } of await loadPostings(db, 'order', [
    ...wanted.values(),
  ])) {
    for (const { slot, blockhashes } of slotsOfPosting(bytes, subject)) {
      bySlot.set(`${segmentId} ${slot}`, blockhashes)
    }
  }
  return (segment, { slot, blockhash }) => {
    const hash = bySlot.get(`${segment.id} ${slot}`)?.[blockhash - 1]
    if (hash !== undefined) return hash
    throw new DamagedHistory(
      `segment ${segment.id}`,
      `slot ${slot} lists no block hash ${blockhash}`,
    )
  }
}
