/** Minutes and buyers as tests write them down, in the form of the ranking index. */
import { BuyerBuckets } from '../../../workers/ranking/series/buyer-buckets.ts'
import { type PoolMinute, PoolMinutes } from '../../../workers/ranking/series/pool-minutes.ts'

export type PlainBucket = { at: number; wallets: readonly number[]; below: number | null }

export function minutesSeries(minutes: Iterable<PoolMinute>): PoolMinutes {
  const packed = new PoolMinutes()
  for (const minute of minutes) packed.push(minute)
  return packed
}

export function buyerSeries(buckets: Iterable<PlainBucket>): BuyerBuckets {
  const packed = new BuyerBuckets()
  for (const { at, wallets, below } of buckets) packed.push(at, wallets, below)
  return packed
}

export const plainMinutes = (packed: PoolMinutes): PoolMinute[] =>
  Array.from({ length: packed.count }, (_, index) => {
    const priceOf = (price: number): number | null => (Number.isNaN(price) ? null : price)
    return {
      minute: packed.minuteAt(index),
      open: priceOf(packed.openAt(index)),
      high: priceOf(packed.highAt(index)),
      low: priceOf(packed.lowAt(index)),
      close: priceOf(packed.closeAt(index)),
      volume: packed.volumeAt(index),
      trades: packed.tradesAt(index),
    }
  })
