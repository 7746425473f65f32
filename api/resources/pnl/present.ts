/**
 * A wallet's ledger as the interface shows it. Every figure in SOL is exact lamports, divided once.
 */
import { divideSigned, lamportsToSol, solToUsd, wholeTokens } from '../../../domain/amount.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Exposure, PositionPage, PositionRow } from './read.ts'
import { concentrationOf, sumOf } from './risk.ts'
import type { PositionAnswer, PositionListAnswer, RiskAnswer } from './schema.ts'

const MS_PER_SECOND = 1_000

type PositionsView = {
  wallet: string
  pnl_mode: PnlMode
  limit: number
  offset: number
  breakdown: boolean
}

export function presentPositions(view: PositionsView, page: PositionPage): PositionListAnswer {
  const { wallet, pnl_mode, limit, offset } = view
  const isReconciled = page.reconciled_ms !== null
  return {
    wallet,
    pnl_mode,
    total: page.total,
    limit,
    offset,
    positions: page.rows.map((row) => presentPosition(row, view, page.sol_usd)),
    onchain_held_count: isReconciled ? page.held_count : null,
    unmatched_onchain_count: isReconciled ? page.unmatched_count : null,
    reconciled: isReconciled,
  }
}

export function presentPosition(
  row: PositionRow,
  { pnl_mode: mode, breakdown }: Pick<PositionsView, 'pnl_mode' | 'breakdown'>,
  solUsd: number | null,
): PositionAnswer {
  const balance = BigInt(row.balance)
  const cost = BigInt(mode === 'strict' ? row.lots_cost : row.basis)
  const costSol = lamportsToSol(cost)
  const qty = wholeTokens(balance, row.decimals)
  const valueSol = row.price === null ? null : qty * row.price
  const unrealizedSol = valueSol === null ? null : valueSol - costSol
  const realized = realizedOf(row)
  return {
    mint: row.mint,
    balance_atomic: balance,
    qty,
    price_sol: row.price,
    avg_cost_per_token: averageCost(cost, balance, row.decimals),
    cost_basis_sol: costSol,
    cost_basis_lamports: cost,
    realized_sol: realized[mode],
    unrealized_sol: unrealizedSol,
    current_value_sol: valueSol,
    total_buys_sol: lamportsToSol(row.buys_lamports),
    total_sells_sol: lamportsToSol(row.sells_lamports),
    total_buy_count: row.buy_count,
    total_sell_count: row.sell_count,
    largest_buy_sol: lamportsToSol(row.largest_buy_lamports),
    largest_sell_sol: lamportsToSol(row.largest_sell_lamports),
    fastest_flip_seconds: secondsOf(row.fastest_flip_ms),
    longest_hold_seconds: secondsOf(row.longest_hold_ms),
    first_trade_ts: row.first_trade_ms,
    last_trade_ts: row.last_trade_ms,
    is_arbitrageur: row.is_arbitrageur,
    tags: row.tags,
    uncovered_sell_qty: wholeTokens(row.uncovered_quantity, row.decimals),
    uncovered_sell_sol: lamportsToSol(row.uncovered_lamports),
    realized_usd: solToUsd(realized[mode], solUsd),
    unrealized_usd: solToUsd(unrealizedSol, solUsd),
    current_value_usd: solToUsd(valueSol, solUsd),
    cost_basis_usd: solToUsd(costSol, solUsd),
    ...(breakdown ? { realized_breakdown: realized } : {}),
  }
}

function realizedOf(row: PositionRow): Record<PnlMode, number> {
  return {
    raw: lamportsToSol(BigInt(row.sells_lamports) - BigInt(row.buys_lamports)),
    strict: lamportsToSol(row.realized_strict),
    adjusted: lamportsToSol(row.realized_adjusted),
  }
}

/** SOL a whole token, from the exact integers in one division. */
function averageCost(cost: bigint, balance: bigint, decimals: number): number {
  if (balance === 0n) return 0
  return divideSigned(cost * 10n ** BigInt(decimals), balance * 1_000_000_000n)
}

const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / MS_PER_SECOND)

export function presentRisk(wallet: string, exposure: Exposure): RiskAnswer {
  const { open_count, closed_count, arbitrageur_count } = exposure
  const quote = sumOf(exposure.quote_values_sol)
  const values = exposure.values_sol
  const total = sumOf(values)
  const count = open_count + closed_count
  return {
    wallet,
    concentration: concentrationOf(values),
    total_open_value_sol: total,
    total_open_value_usd: solToUsd(total, exposure.sol_usd),
    exposure: {
      open_positions: open_count,
      closed_positions: closed_count,
      quote_positions: exposure.quote_count,
      arbitrageur_positions: arbitrageur_count,
      pct_arbitrageur: count === 0 ? 0 : (arbitrageur_count / count) * 100,
      quote_value_sol: quote,
      nonquote_value_sol: total - quote,
    },
    priced_position_count: values.length,
    open_count,
    open_cost_lamports: byCost(exposure.cost, exposure.lots_cost, (cost) => BigInt(cost)),
    open_unrealized_sol: byCost(exposure.costs, exposure.lots_costs, (costs) =>
      values.length === 0 && open_count > 0 ? null : unrealizedOf(values, costs),
    ),
  }
}

/** A figure by the cost of each mode: strict goes by lots, the others by the running average. */
function byCost<Cost, Figure>(
  average: Cost,
  lots: Cost,
  figureOf: (cost: Cost) => Figure,
): Record<PnlMode, Figure> {
  return { raw: figureOf(average), strict: figureOf(lots), adjusted: figureOf(average) }
}

/** Sum of what each position is worth beyond its cost. */
export function unrealizedOf(valuesSol: readonly number[], costs: readonly string[]): number {
  return sumOf(valuesSol.map((valueSol, at) => valueSol - lamportsToSol(costs[at] ?? 0)))
}
