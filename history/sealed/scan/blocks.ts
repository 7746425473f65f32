/** Reads segments block by block. */
import { setImmediate as pause } from 'node:timers/promises'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { decodeBlockColumns } from '../../codec/block.ts'
import type { BlockColumns } from '../../codec/columns/block-columns.ts'
import { blockName } from '../../codec/envelope.ts'
import type { Sealed, Segment } from '../state.ts'

type StoredBlock = { readonly first_row: number; readonly bytes: Uint8Array }
/** A block whose columns the next one changes. `isGone`: of a row of the block; absent where all of them count. */
type ScannedBlock = {
  readonly firstRow: number
  readonly columns: BlockColumns
  readonly isGone: ((row: number) => boolean) | undefined
}

const BLOCKS_A_PAGE = 200

const listBlocks = query<StoredBlock>('sealing/list_segment_blocks')
const listGone = query<{ row_number: number }>('sealed-history/list_segment_gone')

/** The stored blocks of a segment in their order, in pages. */
export async function* blocksOf(db: Queryable, segmentId: number): AsyncGenerator<StoredBlock[]> {
  for (let after = -1; ; ) {
    const page = await listBlocks(db, [segmentId, after, BLOCKS_A_PAGE])
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.first_row
    // Decoding occupies the process.
    await pause()
  }
}

/** All blocks. Throws DamagedHistory. */
export async function* scanBlocks(
  db: Queryable,
  { segments }: Sealed,
): AsyncGenerator<ScannedBlock> {
  for (const segment of segments) yield* scanSegment(db, segment)
}

/** The blocks of a segment by slice, pool and canonical order of their rows. Throws DamagedHistory. */
export async function* scanSegment(db: Queryable, segment: Segment): AsyncGenerator<ScannedBlock> {
  const gone = await goneRows(db, segment)
  for await (const page of blocksOf(db, segment.id)) {
    for (const { first_row: firstRow, bytes } of page) {
      const columns = decodeBlockColumns(bytes, blockName(segment.id, firstRow))
      const isGone = gone.size === 0 ? undefined : (row: number) => gone.has(firstRow + row)
      yield { firstRow, columns, isGone }
    }
  }
}

async function goneRows(db: Queryable, { id, goneCount }: Segment): Promise<ReadonlySet<number>> {
  if (goneCount === 0) return new Set()
  return new Set((await listGone(db, [id])).map((row) => row.row_number))
}
