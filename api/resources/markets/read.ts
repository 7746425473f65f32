/** Reads of the market as a whole: trading by venue in the trailing day, and of all together. */

import type { Int64 } from '../../../domain/amount.ts'
import { DAY_MINUTES } from '../../../domain/time/time-bucket.ts'
import {
  byWindow,
  MARKET_WINDOWS,
  type MarketWindow,
  WINDOW_MINUTES,
} from '../../../domain/time/trade-window.ts'
import { readNewest } from '../../../history/swaps/newest.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { type WindowEdges, windowEdges } from '../../routing/reading/trailing-window.ts'

type VenueTotals = { dex: number; trade_count: Int64; volume_lamports: string }
export type VenueRow = { poolCount: Int64; tradeCount: Int64; volumeLamports: string }

export type Totals = {
  tradeCount: bigint
  volumeLamports: bigint
  traderCount: Int64
  tokenCount: Int64
  poolCount: Int64
}
/** `newestMs`: where the windows end; `newestSlot`: the greatest of a swap; null before the first. */
export type Market = {
  newestMs: number | null
  newestSlot: number | null
  totals: Readonly<Record<MarketWindow, Totals>>
}

type CountRow = { pool_count: Int64; token_count: Int64; trader_count: Int64 }

const readCounts = query<CountRow>('markets/read_totals')
const readNewestMs = query<{ newest_ms: number | null }>('candles/read_newest')
const sumVenues = query<VenueTotals>('markets/sum_venues')
const countVenuePools = query<{ dex: number; pool_count: Int64 }>('markets/count_venue_pools')

/** Totals of each venue over 24 hours, by DexId; a venue without events is absent. */
export async function readVenues(db: Queryable): Promise<Map<number, VenueRow>> {
  const [newest] = await readNewestMs(db)
  if (newest === undefined || newest.newest_ms === null) return new Map()
  const day = windowEdges(newest.newest_ms, DAY_MINUTES)
  const venues = new Map<number, VenueRow>()
  const [counted, summed] = await inOnePiece(db, () =>
    Promise.all([countVenuePools(db), sumVenues(db, venueEdges(day))]),
  )
  for (const { dex, pool_count: poolCount } of counted) {
    venues.set(dex, { poolCount, tradeCount: 0, volumeLamports: '0' })
  }
  for (const { dex, trade_count: tradeCount, volume_lamports } of summed) {
    const { poolCount = 0 } = venues.get(dex) ?? {}
    venues.set(dex, { poolCount, tradeCount, volumeLamports: volume_lamports })
  }
  return venues
}

export async function readMarket(db: Queryable): Promise<Market> {
  const newest = await readNewest(db)
  const { newest_ms: newestMs = null, newest_slot: newestSlot = null } = newest ?? {}
  if (newestMs === null) {
    return { newestMs, newestSlot, totals: byWindow(MARKET_WINDOWS, () => NOTHING) }
  }
  const read = await inOnePiece(db, () =>
    Promise.all(MARKET_WINDOWS.map((window) => readTotals(db, newestMs, WINDOW_MINUTES[window]))),
  )
  const totals = byWindow(MARKET_WINDOWS, (_, index) => read[index]!)
  return { newestMs, newestSlot, totals }
}

const NOTHING: Totals = {
  tradeCount: 0n,
  volumeLamports: 0n,
  traderCount: 0,
  tokenCount: 0,
  poolCount: 0,
}

async function readTotals(db: Queryable, newestMs: number, minutes: number): Promise<Totals> {
  const edges = windowEdges(newestMs, minutes)
  const [venues, [counted]] = await Promise.all([
    sumVenues(db, venueEdges(edges)),
    readCounts(db, [minutes, edges.fromMs, edges.endMs]),
  ])
  return {
    tradeCount: venues.reduce((sum, row) => sum + BigInt(row.trade_count), 0n),
    volumeLamports: venues.reduce((sum, row) => sum + BigInt(row.volume_lamports), 0n),
    traderCount: counted?.trader_count ?? 0,
    tokenCount: counted?.token_count ?? 0,
    poolCount: counted?.pool_count ?? 0,
  }
}

const venueEdges = ({ fromMs, quarterMs, quarterEndMs, endMs }: WindowEdges): number[] => [
  fromMs,
  quarterMs,
  quarterEndMs,
  endMs,
]
