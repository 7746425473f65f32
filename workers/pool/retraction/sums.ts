/** Signatures, volumes of venues and times of slots after a slot was taken out. */

import type { SwapRow } from '../../../domain/events/stored-row.ts'
import { pairHash, signatureHash } from '../../../domain/numbers/signature-hash.ts'
import { findSwapTimes } from '../../../history/swaps/slots.ts'
import { plainArray } from '../../../sql/binary/arrays.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { VenueVolumeFold } from '../venue-volume.ts'
import { SLOT_SPAN_WIDTHS } from '../write/slot-span.ts'
import type { SlotRows } from './slot-rows.ts'

type Times = { first_ms: number | null; last_ms: number | null }

export const lockSums = query('retraction/lock_sums')
const deleteSignatures = query('retraction/delete_signatures')
const promoteSignatures = query('retraction/promote_signatures')
const subtractVolumes = query('retraction/subtract_venue_volumes')
const findSpan = query<Times>('retraction/find_span')
const deleteSpan = query('retraction/delete_span')
const insertSpan = query('retraction/insert_span')

/** Each retracted signature is new when it comes again; every one that is left is still found. */
export async function forgetSignatures(
  connection: Connection,
  slot: number,
  { swaps, leftSwaps }: Pick<SlotRows, 'swaps' | 'leftSwaps'>,
): Promise<void> {
  if (swaps.length === 0) return
  const keyOf = (row: SwapRow) => `${row.signature} ${row.pair_address} ${row.block_tx_index}`
  const left = new Set(leftSwaps.map(keyOf))
  const gone = swaps.filter((row) => !left.has(keyOf(row)))
  const hashes = gone.map((row) => signatureHash(row.signature))
  const pairs = gone.map((row) => pairHash(row.pair_address))
  const blockTxIndexes = gone.map((row) => row.block_tx_index)
  await deleteSignatures(connection, [slot, hashes, pairs, blockTxIndexes])
  await promoteSignatures(connection, [hashes, pairs])
}

/**
 * Rows of sums are each lane's own, and the retracted swaps may have been another lane's where the number of lanes has
 * changed. So the rows of what is touched are merged into one of this lane, and until the end of the transaction no other
 * lane commits: after `lockSums`.
 */
export async function takeFromSums(
  connection: Connection,
  { lane, slot, swaps }: { lane: number; slot: number; swaps: readonly SwapRow[] },
): Promise<void> {
  if (swaps.length === 0) return
  const fold = new VenueVolumeFold()
  for (const row of swaps) {
    fold.add({ timestamp: row.timestamp_ms, dex: row.dex, solAmount: row.sol_amount })
  }
  const volumes = fold.sorted()
  await subtractVolumes(connection, [
    lane,
    plainArray(volumes.map(({ width }) => width)),
    plainArray(volumes.map(({ bucketMs }) => bucketMs)),
    plainArray(volumes.map(({ dex }) => dex)),
    plainArray(volumes.map(({ tradeCount }) => tradeCount)),
    plainArray(volumes.map(({ volumeLamports }) => volumeLamports)),
  ])
  await narrowSpans(connection, lane, slot)
}

/** The least width from the swaps, each wider one from the width below it. */
async function narrowSpans(connection: Connection, lane: number, slot: number): Promise<void> {
  for (const [index, width] of SLOT_SPAN_WIDTHS.entries()) {
    const bucket = Math.floor(slot / width) * width
    const narrower = SLOT_SPAN_WIDTHS[index - 1]
    const times =
      narrower === undefined
        ? await findSwapTimes(connection, bucket, bucket + width)
        : (await findSpan(connection, [narrower, bucket, bucket + width]))[0]
    await deleteSpan(connection, [width, bucket])
    if (times?.first_ms == null) continue
    await insertSpan(connection, [lane, width, bucket, times.first_ms, times.last_ms])
  }
}
