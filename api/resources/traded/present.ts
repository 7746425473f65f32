/** Traded tokens as the interface shows them: exact lamports, for REST and GraphQL. Pure. */
import { windowEndMs } from '../../../domain/time/wallet-window.ts'
import type { TradedPage } from './read.ts'
import type { TradedAnswer, TradedRequest } from './schema.ts'
import type { TradedRow } from './sums.ts'

export function presentTraded(
  { wallet, pnl_mode, limit, offset }: TradedRequest,
  { hours, total, totals, rows }: TradedPage,
): TradedAnswer {
  return {
    wallet,
    pnl_mode,
    from_timestamp: hours.firstMs,
    to_timestamp: windowEndMs(hours) - 1,
    total,
    limit,
    offset,
    totals: presentFigures(totals),
    tokens: rows.map((row) => ({ mint: row.mint, ...presentFigures(row) })),
  }
}

function presentFigures({ realized, volume_lamports, ...counts }: Omit<TradedRow, 'mint'>) {
  const { buy_count, sell_count, covered_sell_count, win_count } = counts
  return {
    realized_lamports: BigInt(realized),
    volume_lamports: BigInt(volume_lamports),
    buy_count,
    sell_count,
    covered_sell_count,
    win_count,
  }
}
