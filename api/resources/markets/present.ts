/** The market as a whole as the interface shows it: the same for REST and GraphQL. Pure. */
import { int64, lamportsToSol } from '../../../domain/amount.ts'
import { DAY_MINUTES } from '../../../domain/time/time-bucket.ts'
import { byWindow, MARKET_WINDOWS } from '../../../domain/time/trade-window.ts'
import { VENUES } from '../../../domain/venue.ts'
import { windowEdges } from '../../routing/reading/trailing-window.ts'
import { presentGaps, type TimedGap } from '../coverage/present.ts'
import type { Market, Totals, VenueRow } from './read.ts'

/** All venues, in their order, whatever they did. */
export function presentProtocols(venues: ReadonlyMap<number, VenueRow>) {
  const venuesShown = VENUES.map(({ name, dex, kind }) => {
    const { poolCount = 0, tradeCount = 0, volumeLamports = '0' } = venues.get(dex) ?? {}
    const volume_sol_24h = lamportsToSol(volumeLamports)
    return { protocol: name, dex, kind, pools: poolCount, swaps_24h: tradeCount, volume_sol_24h }
  })
  return { success: true as const, data: venuesShown }
}

/** `nowMs`: the wall clock. */
export function presentStats(
  { newestMs, newestSlot, totals }: Market,
  gaps: readonly TimedGap[] | undefined,
  nowMs: number,
) {
  return {
    success: true as const,
    data: {
      windows: byWindow(MARKET_WINDOWS, (window) => presentTotals(totals[window])),
      newest_slot: newestSlot,
      newest_timestamp: newestMs,
      indexing_lag_ms: newestMs === null ? null : Math.max(0, nowMs - newestMs),
      ...presentGaps(gaps, windowEdges(newestMs ?? nowMs, DAY_MINUTES).fromMs),
    },
  }
}

function presentTotals(totals: Totals) {
  return {
    swaps: int64(totals.tradeCount),
    volume_sol: lamportsToSol(String(totals.volumeLamports)),
    traders: totals.traderCount,
    tokens: totals.tokenCount,
    pools: totals.poolCount,
  }
}
