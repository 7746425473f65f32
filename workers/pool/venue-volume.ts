/**
 * Volume of venues by the minute and by the quarter of an hour. Pure. Sums, so that no order matters.
 */
import { type Int64, sum } from '../../domain/amount.ts'
import { bucketOf, MINUTE_MS, QUARTER_MS } from '../../domain/time/time-bucket.ts'
import { DEX_MAX } from '../../domain/venue.ts'
import { plainArray } from '../../sql/binary/arrays.ts'
import type { AcceptedSwap } from './pool-state.ts'

type Traded = { timestamp: number; dex: number; solAmount: Int64 }
type VenueVolume = {
  width: number
  bucketMs: number
  dex: number
  tradeCount: number
  /** May pass int64. */
  volumeLamports: number | bigint
}

export class VenueVolumeFold {
  private readonly minutes = new Map<number, VenueVolume>()

  add({ timestamp, dex, solAmount }: Traded): void {
    const bucketMs = bucketOf(timestamp, MINUTE_MS)
    const key = (bucketMs / MINUTE_MS) * (DEX_MAX + 1) + dex
    const minute = this.minutes.get(key)
    if (minute === undefined) {
      const width = MINUTE_MS
      this.minutes.set(key, { width, bucketMs, dex, tradeCount: 1, volumeLamports: solAmount })
      return
    }
    minute.tradeCount += 1
    minute.volumeLamports = sum(minute.volumeLamports, solAmount)
  }

  /** In the order of the table's key: processes lock a lane's rows alike. */
  sorted(): VenueVolume[] {
    const minutes = [...this.minutes.values()].sort(inOrder)
    return [...minutes, ...quartersOf(minutes)]
  }
}

function quartersOf(minutes: readonly VenueVolume[]): VenueVolume[] {
  const quarters = new Map<string, VenueVolume>()
  for (const minute of minutes) {
    const bucketMs = bucketOf(minute.bucketMs, QUARTER_MS)
    const key = `${bucketMs} ${minute.dex}`
    const quarter = quarters.get(key)
    if (quarter === undefined) {
      quarters.set(key, { ...minute, width: QUARTER_MS, bucketMs })
      continue
    }
    quarter.tradeCount += minute.tradeCount
    quarter.volumeLamports = sum(quarter.volumeLamports, minute.volumeLamports)
  }
  return [...quarters.values()].sort(inOrder)
}

const inOrder = (a: VenueVolume, b: VenueVolume): number => a.bucketMs - b.bucketMs || a.dex - b.dex

/** In the form of pool/merge_sums' parameters. */
export function venueVolumes(accepted: readonly AcceptedSwap[]): string[] {
  const fold = new VenueVolumeFold()
  for (const { swap } of accepted) fold.add(swap)
  const rows = fold.sorted()
  return [
    plainArray(rows.map((row) => row.width)),
    plainArray(rows.map((row) => row.bucketMs)),
    plainArray(rows.map((row) => row.dex)),
    plainArray(rows.map((row) => row.tradeCount)),
    plainArray(rows.map((row) => row.volumeLamports)),
  ]
}
