/**
 * Merges the sums of a batch into the stored ones by one statement of the commit: for a few swaps each
 * statement costs more than its rows. Sums are right in any order; opens, closes and last prices
 * are not, and are settled after them.
 */

import { plainArray } from '../../../sql/binary/arrays.ts'
import type { Connection } from '../../../sql/db.ts'
import { allInOrder } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { RunCounts } from '../arrivals/run-counts.ts'
import type { PoolCandles } from '../candle.ts'
import type { AcceptedSwap } from '../pool-state.ts'
import { venueVolumes } from '../venue-volume.ts'
import { candleColumns, dollarColumns, settleCandles } from './candle-write.ts'
import { slotSpans } from './slot-span.ts'
import { countTraders } from './trader-write.ts'

const mergeSums = query('pool/merge_sums')

type Sums = {
  lane: number
  /** Swaps that slot spans and venue volumes count. */
  accepted: readonly AcceptedSwap[]
  /** Ids of their traders. */
  walletIds: ReadonlyMap<string, number>
  candles: readonly PoolCandles[]
  runs: RunCounts
}

/**
 * Encodes the sums; the returned function writes them, after the swaps and the pools of the same transaction. Sets the
 * last price of states whose late swaps may have changed it.
 */
export function sumWriter(sums: Sums): (connection: Connection) => Promise<void> {
  const { lane, accepted, walletIds, runs } = sums
  const traded = sums.candles.filter(
    ({ minutes, quarters, fours }) => minutes.length + quarters.length + fours.length > 0,
  )
  if (accepted.length === 0 && traded.length === 0 && runs.isEmpty) return async () => {}
  const parameters = [
    lane,
    ...slotSpans(accepted).map(plainArray),
    ...venueVolumes(accepted),
    ...runs.columns(),
    ...dollarColumns(traded),
  ]
  return async (connection) => {
    const storeMinutes = await countTraders(connection, accepted, walletIds, traded)
    const merged = mergeSums(connection, [
      ...parameters,
      ...candleColumns(traded),
      ...runs.leftOutColumns(),
    ])
    await allInOrder([merged, storeMinutes()])
    await settleCandles(connection, traded)
  }
}

/** Writes candles only, whose traders are counted. */
export function candleWriter(
  candles: readonly PoolCandles[],
): (connection: Connection) => Promise<void> {
  return sumWriter({ lane: 0, accepted: [], walletIds: new Map(), candles, runs: new RunCounts() })
}
