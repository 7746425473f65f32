/** Totals as answers show them: exact lamports, SOL divided once. Pure. */
import { lamportsToSol, solToUsd } from '../../../domain/amount.ts'
import type { GlobalRow } from '../../../history/swaps/newest.ts'
import type { TraderRow } from './read.ts'
import type { GlobalTotalsAnswer, TraderTotalsAnswer } from './schema.ts'

/** A wallet that never traded has zeros. */
const NOTHING: TraderRow = {
  token_count: 0,
  transaction_count: 0,
  buy_count: 0,
  sell_count: 0,
  covered_sell_count: 0,
  win_count: 0,
  buys_lamports: 0,
  sells_lamports: 0,
  uncovered_lamports: 0,
  realized_strict: 0,
  realized_adjusted: 0,
  first_trade_ms: null,
  last_trade_ms: null,
}

export function presentTrader(wallet: string, row: TraderRow = NOTHING): TraderTotalsAnswer {
  const [buys, sells] = [BigInt(row.buys_lamports), BigInt(row.sells_lamports)]
  const covered = Number(row.covered_sell_count)
  return {
    wallet,
    trade_count: Number(row.buy_count) + Number(row.sell_count),
    buy_count: row.buy_count,
    sell_count: row.sell_count,
    transaction_count: row.transaction_count,
    token_count: row.token_count,
    covered_sell_count: row.covered_sell_count,
    win_count: row.win_count,
    win_rate: covered === 0 ? 0 : Number(row.win_count) / covered,
    volume_lamports: buys + sells,
    volume_sol: lamportsToSol(buys + sells),
    buys_lamports: buys,
    sells_lamports: sells,
    uncovered_sell_lamports: BigInt(row.uncovered_lamports),
    realized_raw_lamports: sells - buys,
    realized_strict_lamports: BigInt(row.realized_strict),
    realized_adjusted_lamports: BigInt(row.realized_adjusted),
    first_trade_ts: row.first_trade_ms,
    last_trade_ts: row.last_trade_ms,
  }
}

export function presentGlobal(row: GlobalRow): GlobalTotalsAnswer {
  const volumeSol = lamportsToSol(row.volume_lamports)
  return {
    trade_count: row.trade_count,
    volume_lamports: BigInt(row.volume_lamports),
    volume_sol: volumeSol,
    volume_usd: solToUsd(volumeSol, row.sol_usd),
    trader_count: row.wallet_count,
    token_count: row.token_count,
    pool_count: row.pool_count,
    first_timestamp: row.first_ms,
    newest_timestamp: row.newest_ms,
    newest_slot: row.newest_slot,
    sol_usd: row.sol_usd,
  }
}
