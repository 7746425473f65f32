/** Prices as the API shows them: the same for REST and GraphQL. Pure. */
import { executedPrice, lamportsToSol, solToUsd } from '../../../domain/amount.ts'
import type { Timeframe } from '../../../domain/time/timeframe.ts'
import type { PeakRow, PricingSwap } from '../../../history/swaps/tokens.ts'
import { pricedRows } from '../candles/candle-lines.ts'
import type { ListedCandles } from '../candles/candle-text.ts'
import type { PriceRow } from './read.ts'
import type { AthAnswer, HistoryAnswer, MultiAnswer, PriceAtAnswer } from './schema.ts'

export function presentHistory(
  { token, resolution }: { token: string; resolution: HistoryAnswer['resolution'] & Timeframe },
  { pool, pages }: ListedCandles,
): HistoryAnswer {
  const rows = pricedRows(pages).map((row) => {
    const { bucket_ms: ts_ms, open, high, low, close, volume_lamports } = row
    return { ts_ms, open, high, low, close, volume_sol: lamportsToSol(volume_lamports) }
  })
  return { token, pair_address: pool?.pair_address ?? null, resolution, rows }
}

export function presentPriceAt(token: string, timestamp: number, swap: PricingSwap): PriceAtAnswer {
  const { sol_amount, token_amount, quote_decimals, timestamp_ms } = swap
  return {
    token,
    timestamp,
    price_sol: executedPrice(sol_amount, token_amount, quote_decimals),
    ts_ms: timestamp_ms,
    age_ms: timestamp - timestamp_ms,
    signature: swap.signature,
    slot: swap.slot,
    pair_address: swap.pair_address,
  }
}

export function presentPrices(rows: readonly PriceRow[]): MultiAnswer {
  const prices = rows.map(({ mint, price, price_ms, sol_usd }) => [
    mint,
    { price_sol: price, price_usd: solToUsd(price, sol_usd), ts_ms: price_ms },
  ])
  return { prices: Object.fromEntries(prices) }
}

export function presentPeak(mint: string, swap: PeakRow): AthAnswer {
  const { sol_amount, token_amount, quote_decimals, price, sol_usd: rate } = swap
  const peak = executedPrice(sol_amount, token_amount, quote_decimals)
  return {
    mint,
    ath_price_sol: peak,
    ath_price_usd: solToUsd(peak, rate),
    timestamp: swap.timestamp_ms,
    signature: swap.signature,
    slot: swap.slot,
    pair_address: swap.pair_address,
    dex: swap.dex,
    user: swap.user,
    sol_amount,
    token_amount,
    price_sol: price,
    price_usd: solToUsd(price, rate),
    price_timestamp: swap.price_ms,
    from_ath_pct: ((price - peak) / peak) * 100,
  }
}
