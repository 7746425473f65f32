/** Top movers as the interface shows them: the same for REST and GraphQL. Pure. */
import { type MoverEntry, venueNames } from '../../streams/ranking.ts'
import type { MoversFound } from './read.ts'
import type { MoversAnswer, MoversAsked } from './schema.ts'

export function presentMovers(
  { timeframe, protocol = 'all' }: Pick<MoversAsked, 'timeframe'> & { protocol?: string },
  { gainers, losers }: MoversFound,
): MoversAnswer {
  const shown = { gainers: gainers.map(presentMover), losers: losers.map(presentMover) }
  return { success: true, data: { timeframe, protocol, ...shown } }
}

function presentMover(entry: MoverEntry) {
  const [mint, venues, changePct, open, close, high, low, volumeSol, tradeCount] = entry
  return {
    mint,
    protocols: venueNames(venues),
    price_change_pct: changePct,
    open_price: open,
    close_price: close,
    high,
    low,
    volume_sol: volumeSol,
    trade_count: tradeCount,
  }
}
