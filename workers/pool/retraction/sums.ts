/** Signatures, volumes of venues and times of slots after a slot was taken out. */

import type { SwapRow } from '../../../domain/events/stored-row.ts'
import { greatestOf, leastOf } from '../../../domain/numbers/extremes.ts'
import { pairHash, signatureHash } from '../../../domain/numbers/signature-hash.ts'
import { plainArray } from '../../../sql/binary/arrays.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { VenueVolumeFold } from '../venue-volume.ts'
import { SLOT_SPAN_WIDTHS } from '../write/slot-span.ts'
import type { IsOwn, SlotRows } from './slot-rows.ts'

type Times = { first_ms: number | null; last_ms: number | null }

const deleteSignatures = query('retraction/delete_signatures')
const promoteSignatures = query('retraction/promote_signatures')
const subtractVolumes = query('retraction/subtract_venue_volumes')
const deleteEmptyVolumes = query('retraction/delete_empty_venue_volumes')
const listSlotTimes = query<{ pair_address: string; first_ms: number; last_ms: number }>(
  'retraction/list_slot_times',
)
const findSpan = query<Times>('retraction/find_span')
const updateSpan = query('retraction/update_span')
const deleteSpan = query('retraction/delete_span')

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
  const places = gone.map((row) => row.block_tx_index)
  await deleteSignatures(connection, [slot, hashes, pairs, places])
  await promoteSignatures(connection, [hashes, pairs])
}

export async function takeFromSums(
  connection: Connection,
  {
    lane,
    isOwn,
    slot,
    swaps,
  }: { lane: number; isOwn: IsOwn; slot: number; swaps: readonly SwapRow[] },
): Promise<void> {
  if (swaps.length === 0) return
  const fold = new VenueVolumeFold()
  for (const row of swaps) {
    fold.add({ timestamp: row.timestamp_ms, dex: row.dex, solAmount: row.sol_amount })
  }
  const volumes = fold.sorted()
  const keys = [
    plainArray(volumes.map(({ width }) => width)),
    plainArray(volumes.map(({ bucketMs }) => bucketMs)),
    plainArray(volumes.map(({ dex }) => dex)),
  ]
  await subtractVolumes(connection, [
    lane,
    ...keys,
    plainArray(volumes.map(({ tradeCount }) => tradeCount)),
    plainArray(volumes.map(({ volumeLamports }) => volumeLamports)),
  ])
  await deleteEmptyVolumes(connection, [lane, ...keys])
  await narrowSpans(connection, lane, isOwn, slot)
}

/** The least width from the lane's swaps, each wider one from the width below it. */
async function narrowSpans(
  connection: Connection,
  lane: number,
  isOwn: IsOwn,
  slot: number,
): Promise<void> {
  for (const [index, width] of SLOT_SPAN_WIDTHS.entries()) {
    const bucket = Math.floor(slot / width) * width
    const narrower = SLOT_SPAN_WIDTHS[index - 1]
    const times =
      narrower === undefined
        ? timesOf(
            (await listSlotTimes(connection, [bucket, bucket + width])).filter((row) =>
              isOwn(row.pair_address),
            ),
          )
        : (await findSpan(connection, [lane, narrower, bucket, bucket + width]))[0]
    if (times?.first_ms == null) await deleteSpan(connection, [lane, width, bucket])
    else await updateSpan(connection, [lane, width, bucket, times.first_ms, times.last_ms])
  }
}

function timesOf(rows: readonly { first_ms: number; last_ms: number }[]): Times | undefined {
  if (rows.length === 0) return undefined
  return {
    first_ms: leastOf(rows.map((row) => row.first_ms)),
    last_ms: greatestOf(rows.map((row) => row.last_ms)),
  }
}
