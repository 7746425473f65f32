/** Trending tokens as the interface shows them: the same for REST and GraphQL. Pure. */
import { solToUsd } from '../../../domain/amount.ts'
import type { TrendingParts } from '../../../domain/ranking.ts'
import { liquiditySol } from '../pairs/liquidity.ts'
import type { PriceRow, TrendingFound } from './read.ts'
import type { TrendingAnswer, TrendingRequest } from './schema.ts'

export function presentTrending(
  {
    window,
    sector,
    limit,
    offset,
    extra_windows: windows,
    include_score: hasScore,
  }: TrendingRequest,
  { total, tokens }: TrendingFound,
): TrendingAnswer {
  const results = tokens.map(({ entry, price }) => {
    const { mint, score, volumeSol, changePct, otherChanges, parts } = entry
    const byWindow = windows?.map((each, index) => [each, otherChanges[index] ?? null] as const)
    return {
      mint,
      change_pct: changePct,
      liquidity_usd: solToUsd(liquidityOf(price), price.rate),
      price_usd: solToUsd(price.price, price.rate),
      volume_usd: solToUsd(volumeSol, price.rate),
      ...(hasScore ? { trending_score: score, formula_breakdown: presentParts(parts) } : {}),
      ...(byWindow === undefined ? {} : { change_pct_by_window: Object.fromEntries(byWindow) }),
    }
  })
  return { window, sector: sector ?? null, results, total, offset, limit }
}

function liquidityOf({ dex, last_sol_reserves, ...unreported }: PriceRow): number | null {
  if (dex === null || last_sol_reserves === null) return null
  return liquiditySol({ ...unreported, dex, last_sol_reserves })
}

function presentParts(parts: TrendingParts) {
  const [velocity, buyers, acceleration, buyerAcceleration, devSell, growth, top10] = parts
  return {
    vol_velocity: velocity,
    unique_buyers: buyers,
    vol_acceleration: acceleration,
    buyer_acceleration: buyerAcceleration,
    dev_sell_penalty: devSell,
    holder_growth: growth,
    top10_penalty: top10,
  }
}
