/** Reads of the market as a whole: what venues traded in the trailing day. */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Int64 } from '../../streams/amount.ts'
import { DAY_MINUTES, windowEdges } from '../window.ts'

export type VenueTotals = { dex: number; trade_count: Int64; volume_lamports: string }
export type VenueRow = { poolCount: Int64; tradeCount: Int64; volumeLamports: string }

const readNewestMs = query<{ newest_ms: number | null }>('candles/read_newest')
const sumVenues = query<VenueTotals>('markets/sum_venues')
const countVenuePools = query<{ dex: number; pool_count: Int64 }>('markets/count_venue_pools')

/** What each venue has and traded in 24 hours, by DexId; one that never did anything is absent. */
export async function readVenues(db: Queryable): Promise<Map<number, VenueRow>> {
  const [newest] = await readNewestMs(db)
  if (newest === undefined || newest.newest_ms === null) return new Map()
  const { fromMs, quarterMs } = windowEdges(newest.newest_ms, DAY_MINUTES)
  const venues = new Map<number, VenueRow>()
  for (const { dex, pool_count: poolCount } of await countVenuePools(db)) {
    venues.set(dex, { poolCount, tradeCount: 0, volumeLamports: '0' })
  }
  for (const { dex, trade_count: tradeCount, volume_lamports } of await sumVenues(db, [
    fromMs,
    quarterMs,
  ])) {
    const { poolCount = 0 } = venues.get(dex) ?? {}
    venues.set(dex, { poolCount, tradeCount, volumeLamports: volume_lamports })
  }
  return venues
}
