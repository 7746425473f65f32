/** The screen as the interface shows it: the same for REST and GraphQL. Pure. */
import { solToUsd } from '../../../domain/amount.ts'
import { MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { VENUES } from '../../../domain/venue.ts'
import { warningsOf } from '../../routing/parameters.ts'
import type { Screen, ScreenedRow, ScreenerFilter } from './read.ts'
import { ofScreener } from './schema.ts'

export function presentScreen(
  filter: ScreenerFilter & { unsupported: readonly string[] },
  screen: Screen,
) {
  return {
    results: screen.rows.map((row) => presentScreened(row, screen)),
    total_matches: screen.total,
    limit: filter.limit,
    offset: filter.offset,
    warnings: [...warningsOf(filter.unsupported, ofScreener), ...rateWarnings(filter, screen)],
  }
}

function rateWarnings(filter: ScreenerFilter, { rate }: Screen): string[] {
  if (rate !== null) return []
  const inDollars = Object.keys(filter).filter((name) => /^m(in|ax)_.*_usd$/.test(name))
  return inDollars.map((name) => `${name} fits no token while no SOL/USD rate is known`)
}

/** Also 0 for a token that began after the newest swap was read. */
function ageMinutes(firstMs: number, newestMs: number): number {
  return Math.max(0, Math.floor((newestMs - firstMs) / MINUTE_MS))
}

function presentScreened(row: ScreenedRow, { rate, newestMs }: Screen) {
  const { first_ms: firstMs, venues, price_sol, volume_sol, liquidity_sol } = row
  return {
    ...row,
    protocols: VENUES.filter(({ dex }) => (venues & (1 << dex)) !== 0).map(({ name }) => name),
    price_usd: solToUsd(price_sol, rate),
    volume_usd: solToUsd(volume_sol, rate),
    liquidity_usd: solToUsd(liquidity_sol, rate),
    age_minutes: firstMs === null ? null : ageMinutes(firstMs, newestMs),
  }
}
