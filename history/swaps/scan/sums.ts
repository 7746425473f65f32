/** Sums over the stored swaps of some time: their number, and a hash that any change of them changes. */
import type { Int64 } from '../../../domain/amount.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { SLICE_SLOTS } from '../../codec/postings/pool.ts'
import { segmentsOf } from '../../sealed/find/ranges.ts'
import { numberedHash } from '../../sealed/find/rows.ts'
import { hashesOfSlots } from '../../sealed/find/slots.ts'
import { expectStored } from '../../sealed/find/stored.ts'
import { scanSegment } from '../../sealed/scan/blocks.ts'
import { RecordHashes } from '../../sealed/scan/record-hash.ts'
import { type Segment, withSealed } from '../../sealed/state.ts'

/** First and last slot, which hold all swaps of the times; Unix ms, inclusive. */
type SummedRange = {
  readonly low: number
  readonly high: number
  readonly fromMs: number
  readonly toMs: Int64
}
type SwapSum = { swaps: number; content_hash: string }

const sumOfSwaps = query<SwapSum>('swap-history/sum_swaps')

/** How many swaps a range of time has, and a hash that any change of them changes, whatever their order. */
export function sumSwaps(db: Queryable, range: SummedRange): Promise<SwapSum> {
  const { low, high, fromMs, toMs } = range
  return withSealed(db, async (sealed) => {
    expectStored(sealed, [low])
    const hashes = new RecordHashes()
    for (const segment of segmentsOf(sealed, [range], 'asc')) {
      await addSegment(db, segment, range, hashes)
    }
    const [hot] = await sumOfSwaps(db, [low, high, fromMs, toMs])
    const hash = BigInt(hot!.content_hash) + hashes.total()
    return { swaps: hot!.swaps + hashes.count, content_hash: hash.toString() }
  })
}

const sliceOf = (slot: number): number => Math.floor(slot / SLICE_SLOTS)

async function addSegment(
  db: Queryable,
  segment: Segment,
  range: SummedRange,
  hashes: RecordHashes,
): Promise<void> {
  const { low, high, fromMs, toMs } = range
  const blockhashes = await hashesOfSlots(db, segment, range)
  for await (const { columns, isGone } of scanSegment(db, segment)) {
    const { slot: slots, timestamp_ms: times, blockhash: numbers } = columns.integers
    if (columns.count > 0 && sliceOf(slots.near(0)) > sliceOf(high)) return
    for (let row = 0; row < columns.count; row++) {
      const [slot, ms] = [slots.near(row), times.near(row)]
      if (slot < low || slot > high || ms < fromMs || ms > toMs || isGone?.(row) === true) continue
      const number = numbers.near(row)
      const blockhash =
        number === 0 ? null : numberedHash(blockhashes.get(slot), number, { segment, slot })
      hashes.add(columns, row, encodeBase58(columns.signature(row)), blockhash)
    }
  }
}
