/** Top movers as the interface shows them: the same for REST and GraphQL. Pure. */
import { venueNames } from '../../../domain/ranking.ts'
import { venueOf } from '../../../domain/venue.ts'
import type { MoverEntry, MoversFound } from './read.ts'
import type { MoversAnswer, MoversRequest } from './schema.ts'

export function presentMovers(
  { timeframe, protocol: dex }: Pick<MoversRequest, 'timeframe' | 'protocol'>,
  { gainers, losers }: MoversFound,
): MoversAnswer {
  const shown = { gainers: gainers.map(presentMover), losers: losers.map(presentMover) }
  const protocol = dex === undefined ? 'all' : venueOf(dex).name
  return { success: true, data: { timeframe, protocol, ...shown } }
}

function presentMover(entry: MoverEntry) {
  return {
    mint: entry.mint,
    protocols: venueNames(entry.venues),
    price_change_pct: entry.change_pct,
    open_price: entry.open,
    close_price: entry.close,
    high: entry.high,
    low: entry.low,
    volume_sol: entry.volume_sol,
    trade_count: entry.trade_count,
  }
}
