/** Token statistics as the interface shows them: the same for REST and GraphQL. Pure. */
import { lamportsToSol, solToUsd, wholeTokens } from '../../../domain/amount.ts'
import { byWindow, STATS_WINDOWS, type StatsWindow } from '../../../domain/time/trade-window.ts'
import { liquiditySol } from '../pairs/liquidity.ts'
import type { TokenFigures, TokenRow, WindowRow } from './read.ts'

export function presentTokenStats({ token, windows }: TokenFigures) {
  const { price, rate } = token
  const marketCap = marketCapOf(token)
  const liquidity = liquidityOf(token)
  const of = (name: StatsWindow) => presentWindow(windows.get(name))
  return {
    mint: token.mint,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    price_sol: price,
    price_usd: solToUsd(price, rate),
    price_timestamp: token.price_ms,
    market_cap_sol: marketCap,
    market_cap_usd: solToUsd(marketCap, rate),
    liquidity_sol: liquidity,
    liquidity_usd: solToUsd(liquidity, rate),
    top_pair: token.top_pair,
    first_seen: token.first_ms,
    windows_end: [...windows.values()][0]?.end_ms ?? null,
    windows: byWindow(STATS_WINDOWS, of),
  }
}

export function presentManyStats(found: readonly TokenFigures[]) {
  return {
    stats: Object.fromEntries(found.map((each) => [each.token.mint, presentTokenStats(each)])),
  }
}

function marketCapOf({ price, supply, decimals }: TokenRow): number | null {
  if (price === null || supply === null || decimals === null) return null
  return price * wholeTokens(supply, decimals)
}

function liquidityOf({ dex, last_sol_reserves, ...unreported }: TokenRow): number | null {
  if (dex === null || last_sol_reserves === null) return null
  return liquiditySol({ ...unreported, dex, last_sol_reserves })
}

function presentWindow(row: WindowRow | undefined) {
  return {
    volume_sol: lamportsToSol(row?.volume_lamports ?? 0),
    trades: row?.trade_count ?? 0,
    buys: row?.buy_count ?? 0,
    sells: row?.sell_count ?? 0,
    buyers: row?.buyer_count ?? 0,
    sellers: row?.seller_count ?? 0,
    change_pct: changePct(row?.open ?? null, row?.close ?? null),
    high: row?.high ?? null,
    low: row?.low ?? null,
  }
}

/** Percent; null without a price. */
function changePct(open: number | null, close: number | null): number | null {
  return open === null || close === null ? null : ((close - open) / open) * 100
}
