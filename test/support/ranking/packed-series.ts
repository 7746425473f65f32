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
  Array.from({ length: packed.count }, (_, place) => {
    const priceOf = (price: number): number | null => (Number.isNaN(price) ? null : price)
    return {
      minute: packed.minuteAt(place),
      open: priceOf(packed.openAt(place)),
      high: priceOf(packed.highAt(place)),
      low: priceOf(packed.lowAt(place)),
      close: priceOf(packed.closeAt(place)),
      volume: packed.volumeAt(place),
      trades: packed.tradesAt(place),
    }
  })
