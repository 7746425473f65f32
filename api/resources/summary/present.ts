/** A wallet's summary as an answer shows it: exact lamports, SOL divided once. Pure. */
import { lamportsToSol, solToUsd } from '../../../domain/amount.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import { presentPosition, unrealizedOf } from '../pnl/present.ts'
import { sumOf } from '../pnl/risk.ts'
import type { Highlight, HighlightRow, Summary, WalletSums } from './read.ts'
import type { HighlightsAnswer, WalletPnlAnswer } from './schema.ts'

/** A wallet that never traded has zeros. */
const NOTHING: WalletSums = {
  open_count: 0,
  closed_count: 0,
  realized_strict: 0,
  realized_adjusted: 0,
  buys_lamports: 0,
  sells_lamports: 0,
  buy_count: 0,
  sell_count: 0,
  covered_sell_count: 0,
  win_count: 0,
  cost: 0,
  lots_cost: 0,
  first_trade_ms: null,
  last_trade_ms: null,
  values_sol: [],
  costs: [],
  lots_costs: [],
}

export function presentSummary(wallet: string, { sums, rate }: Summary): WalletPnlAnswer {
  const own = sums ?? NOTHING
  const value = sumOf(own.values_sol)
  const of = (mode: PnlMode) => presentMode(own, mode, rate.sol_usd)
  const [covered, wins] = [Number(own.covered_sell_count), Number(own.win_count)]
  return {
    wallet,
    open_count: own.open_count,
    closed_count: own.closed_count,
    priced_position_count: own.values_sol.length,
    current_value_sol: value,
    current_value_usd: solToUsd(value, rate.sol_usd),
    total_buys_sol: lamportsToSol(own.buys_lamports),
    total_sells_sol: lamportsToSol(own.sells_lamports),
    total_buy_count: own.buy_count,
    total_sell_count: own.sell_count,
    win_count: own.win_count,
    covered_sell_count: own.covered_sell_count,
    win_rate: covered === 0 ? 0 : wins / covered,
    first_trade_ts: own.first_trade_ms,
    last_trade_ts: own.last_trade_ms,
    by_mode: { raw: of('raw'), strict: of('strict'), adjusted: of('adjusted') },
    sol_usd: rate.sol_usd,
    sol_usd_timestamp: rate.rate_ms,
    sol_usd_source: rate.rate_source,
  }
}

function presentMode(
  sums: WalletSums,
  mode: PnlMode,
  rate: number | null,
): WalletPnlAnswer['by_mode'][PnlMode] {
  const isByLots = mode === 'strict'
  const realized = realizedOf(sums, mode)
  const cost = BigInt(isByLots ? sums.lots_cost : sums.cost)
  const [realizedSol, costSol] = [lamportsToSol(realized), lamportsToSol(cost)]
  const isUnpriced = sums.values_sol.length === 0 && sums.open_count > 0
  const costs = isByLots ? sums.lots_costs : sums.costs
  const unrealizedSol = isUnpriced ? null : unrealizedOf(sums.values_sol, costs)
  return {
    realized_lamports: realized,
    realized_sol: realizedSol,
    realized_usd: solToUsd(realizedSol, rate),
    unrealized_sol: unrealizedSol,
    unrealized_usd: solToUsd(unrealizedSol, rate),
    cost_basis_lamports: cost,
    cost_basis_sol: costSol,
    cost_basis_usd: solToUsd(costSol, rate),
  }
}

function realizedOf(sums: WalletSums, mode: PnlMode): bigint {
  if (mode === 'raw') return BigInt(sums.sells_lamports) - BigInt(sums.buys_lamports)
  return BigInt(mode === 'strict' ? sums.realized_strict : sums.realized_adjusted)
}

export function presentHighlights(
  { wallet, pnl_mode }: { wallet: string; pnl_mode: PnlMode },
  rows: readonly HighlightRow[],
): HighlightsAnswer {
  const of = (kind: Highlight) => {
    const row = rows.find((each) => each.kind === kind)
    return row === undefined
      ? null
      : presentPosition(row, { pnl_mode, breakdown: false }, row.sol_usd)
  }
  return {
    wallet,
    pnl_mode,
    biggest_win: of('biggest_win'),
    biggest_loss: of('biggest_loss'),
    biggest_bag: of('biggest_bag'),
    fastest_flip: of('fastest_flip'),
    longest_hold: of('longest_hold'),
  }
}
