/**
 * Deletes the rows that a segment took over, in the transaction that publishes it. From the first delete on, a writer that
 * changes one of these rows waits for the end of the transaction, so the sealer looks between batches whether a session
 * waits, and gives way.
 */

import { counted } from '../../domain/text/plural.ts'
import { int4Array, int8Array, int8ArrayOfHalves } from '../../sql/binary/arrays.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { WrittenSegment } from './segment-writer.ts'
import type { Wait } from './wait.ts'

/** Another session waits for rows that are being sealed: the transaction is to be rolled back, and repeated later. */
export class GivesWay extends Error {
  readonly wait: Wait

  constructor() {
    const reason = 'another session waits for rows that are being sealed'
    super(reason)
    this.wait = { cause: 'waiting_session', reason }
  }
}

/** Rows that stay in `swap`: of a pool and slot. */
export type HotRows = { readonly poolIds: readonly number[]; readonly slots: readonly number[] }

/** About 50 ms of deletes. */
const BATCH_ROWS = 10_000

const deleteSwaps = query<{ row_count: number }>('sealing/delete_swaps')
const deleteSignatures = query<{ signature_hash: number | bigint; pair_hash: number }>(
  'sealing/delete_signatures',
)
const renumberCopies = query('sealing/renumber_copies')
const findWaiting = query<{ is_waited_for: boolean }>('sealing/find_waiting')

/** Throws GivesWay; throws where other rows than those of the segment were deleted. */
export async function deleteSealed(
  connection: Connection,
  segment: WrittenSegment,
  hot: HotRows,
): Promise<void> {
  await deleteSignatureRows(connection, segment)
  let deleted = 0
  for (const { low, high } of slotRuns(segment)) {
    const [row] = await deleteSwaps(connection, [low, high, hot.poolIds, hot.slots])
    deleted += row!.row_count
    await giveWay(connection)
  }
  const taken = segment.rows.isInTable.reduce((sum, each) => sum + each, 0)
  if (deleted === taken) return
  throw new Error(
    `${counted(deleted, 'row')} of "swap" were deleted for ${taken} of segment ${segment.id}: nothing was sealed`,
  )
}

async function giveWay(connection: Connection): Promise<void> {
  if ((await findWaiting(connection))[0]!.is_waited_for) throw new GivesWay()
}

/** Runs of slots of about as many rows as a batch has, whole slots. */
function slotRuns({ rows }: WrittenSegment): { low: number; high: number }[] {
  const counts = new Map<number, number>()
  rows.slots.forEach((slot, row) => {
    if (rows.isInTable[row] === 1) counts.set(slot, (counts.get(slot) ?? 0) + 1)
  })
  const runs: { low: number; high: number }[] = []
  let [open, inRun]: [{ low: number; high: number } | undefined, number] = [undefined, 0]
  for (const [slot, count] of [...counts].sort(([a], [b]) => a - b)) {
    if (open === undefined || inRun >= BATCH_ROWS) {
      open = { low: slot, high: slot }
      runs.push(open)
      inRun = 0
    }
    open.high = slot
    inRun += count
  }
  return runs
}

async function deleteSignatureRows(
  connection: Connection,
  { rows }: WrittenSegment,
): Promise<void> {
  // In canonical order, which is about that of the pages of the table.
  const inTable = rows.canonical.filter((row) => rows.isInTable[row] === 1)
  for (let from = 0; from < inTable.length; from += BATCH_ROWS) {
    await deleteBatch(connection, rows, inTable.subarray(from, from + BATCH_ROWS))
    await giveWay(connection)
  }
}

async function deleteBatch(
  connection: Connection,
  { signatureHalves, pairHashes, slots, txIndexes }: WrittenSegment['rows'],
  batch: Uint32Array,
): Promise<void> {
  const halves = new Int32Array(2 * batch.length)
  batch.forEach((row, index) => {
    halves[2 * index] = signatureHalves[2 * row]!
    halves[2 * index + 1] = signatureHalves[2 * row + 1]!
  })
  const copies = await deleteSignatures(connection, [
    int8ArrayOfHalves(halves),
    int4Array(Int32Array.from(batch, (row) => pairHashes[row]!)),
    int8Array(Array.from(batch, (row) => slots[row]!)),
    int8Array(Array.from(batch, (row) => txIndexes[row]!)),
  ])
  if (copies.length === 0) return
  await renumberCopies(connection, [
    int8Array(copies.map((copy) => copy.signature_hash)),
    int4Array(copies.map((copy) => copy.pair_hash)),
  ])
}
