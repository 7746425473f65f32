/** Reads rows of segments by their numbers. */
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { decodeBlockColumns } from '../../codec/block.ts'
import type { BlockColumns } from '../../codec/columns/block-columns.ts'
import { rowOf } from '../../codec/columns/swap-columns.ts'
import { blockName, DamagedHistory } from '../../codec/envelope.ts'
import { hashesOfPosting, orderBucket } from '../../codec/postings/order.ts'
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
/** `hashNumber`: of the swap's block in its slot, 0 for none; the swap has no block hash yet. */
type Decoded = LocatedSwap & { readonly segment: Segment; readonly hashNumber: number }
/** A row of a decoded block, whose columns the next block changes. */
type BlockRowReader<Result> = (
  columns: BlockColumns,
  row: number,
  location: { readonly segment: Segment; readonly rowNumber: number },
) => Result
type BlockRow = { segment_id: number; first_row: number; bytes: Uint8Array }

/** Rows that are so near to each other are mostly of one block. */
const NEAR_ROWS = 64

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

/** The same of row numbers. */
export async function countingNumbers(
  db: Queryable,
  segment: Segment,
  rows: Iterable<number>,
): Promise<RowNumbers> {
  const numbered = Array.from(rows, (row) => ({ row }))
  const counting = await countingRows(db, segment, numbered)
  return { segment, rows: counting.map(({ row }) => row) }
}

/** Rows that count, unordered. Throws DamagedHistory. */
export async function loadRows(
  db: Queryable,
  wanted: readonly RowNumbers[],
): Promise<LocatedSwap[]> {
  const some = wanted.filter(({ rows }) => rows.length > 0)
  if (some.length === 0) return []
  const decoded = await readRows(db, some, (columns, row, { segment, rowNumber }): Decoded => {
    const hashNumber = columns.integers.blockhash.low[row] as number
    const swap = rowOf(columns, row, encodeBase58(columns.signature(row)), null)
    return { segment, segmentId: segment.id, rowNumber, hashNumber, swap }
  })
  const hashes = await loadBlockhashes(db, decoded)
  for (const each of decoded) if (each.hashNumber > 0) each.swap.blockhash = hashes(each)
  return decoded
}

/** The result of `read` for each row that is wanted. Each block is decoded once. Throws DamagedHistory. */
async function readRows<Result>(
  db: Queryable,
  wanted: readonly RowNumbers[],
  read: BlockRowReader<Result>,
): Promise<Result[]> {
  const ascending = wanted.map(({ segment, rows }) => ({
    segment,
    rows: Uint32Array.from(rows).sort(),
  }))
  const runs = ascending.flatMap(({ segment, rows }) => runsOf(segment, rows))
  const blocks = await listBlocks(db, [
    runs.map(({ segment }) => segment.id),
    runs.map(({ first }) => first),
    runs.map(({ last }) => last),
  ])
  const bySegment = Map.groupBy(blocks, (block) => block.segment_id)
  return ascending.flatMap(({ segment, rows }) => {
    const own = (bySegment.get(segment.id) ?? []).toSorted((a, b) => a.first_row - b.first_row)
    return rowsOfBlocks({ segment, rows, read }, own)
  })
}

/** Runs of ascending rows that are near to each other. */
function runsOf(segment: Segment, rows: Uint32Array) {
  const runs: { segment: Segment; first: number; last: number }[] = []
  let open: { first: number; last: number } | undefined
  for (const row of rows) {
    if (open !== undefined && row - open.last <= NEAR_ROWS) open.last = row
    else {
      const run = { segment, first: row, last: row }
      runs.push(run)
      open = run
    }
  }
  return runs
}

/** `rows` and `blocks` ascend. */
function rowsOfBlocks<Result>(
  { segment, rows, read }: { segment: Segment; rows: Uint32Array; read: BlockRowReader<Result> },
  blocks: readonly BlockRow[],
): Result[] {
  const results: Result[] = []
  let at = 0
  let open: { firstRow: number; columns: BlockColumns } | undefined
  for (const rowNumber of rows) {
    while (at < blocks.length && blocks[at]!.first_row <= rowNumber) {
      open = undefined
      at += 1
    }
    const block = blocks[at - 1]
    if (block !== undefined && open === undefined) {
      const subject = blockName(segment.id, block.first_row)
      open = { firstRow: block.first_row, columns: decodeBlockColumns(block.bytes, subject) }
    }
    const columns = open?.columns
    const row = rowNumber - (open?.firstRow ?? 0)
    if (columns === undefined || row >= columns.count) throw missing(segment, rowNumber)
    results.push(read(columns, row, { segment, rowNumber }))
  }
  return results
}

const missing = (segment: Segment, rowNumber: number): DamagedHistory =>
  new DamagedHistory(blockName(segment.id, rowNumber), 'no block has this row')

/** Hashes of the blocks of rows, which the order postings of their slots list. */
async function loadBlockhashes(
  db: Queryable,
  decoded: readonly Decoded[],
): Promise<(decoded: Decoded) => string> {
  const wanted = new Map<string, { segment: Segment; bucket: number }>()
  for (const { segment, hashNumber, swap } of decoded) {
    if (hashNumber === 0) continue
    const bucket = orderBucket(swap.slot, segment.firstSlot)
    wanted.set(`${segment.id} ${bucket}`, { segment, bucket })
  }
  const bySlot = new Map<string, readonly string[]>()
  for (const { segmentId, bytes, subject } of await loadPostings(db, 'order', [
    ...wanted.values(),
  ])) {
    for (const { slot, blockhashes } of hashesOfPosting(bytes, subject)) {
      bySlot.set(`${segmentId} ${slot}`, blockhashes)
    }
  }
  return ({ segment, hashNumber, swap: { slot } }) =>
    numberedHash(bySlot.get(`${segment.id} ${slot}`), hashNumber, { segment, slot })
}

/** A hash among those of a slot, by its number from 1 on. Throws DamagedHistory where it is not listed. */
export function numberedHash(
  hashes: readonly string[] | undefined,
  number: number,
  { segment, slot }: { readonly segment: Segment; readonly slot: number },
): string {
  const hash = hashes?.[number - 1]
  if (hash !== undefined) return hash
  throw new DamagedHistory(`segment ${segment.id}`, `slot ${slot} lists no block hash ${number}`)
}
