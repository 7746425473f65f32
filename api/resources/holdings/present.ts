/** Renders holdings of a wallet, the most valuable first. Pure. */
import { lamportsToSol, solToUsd, wholeTokens } from '../../../domain/amount.ts'
import { costOfHeld, type Holding } from './holding.ts'
import type { HoldingsRead } from './read.ts'
import type { HoldingAnswer, HoldingsAnswer } from './schema.ts'

export function presentHoldings(
  wallet: string,
  source: HoldingsAnswer['holdings_source'],
  { holdings, solUsd }: HoldingsRead,
  nowMs: number,
): HoldingsAnswer {
  const shown = holdings.map((holding) => presentHolding(holding, solUsd))
  return {
    wallet,
    holdings_source: source,
    holdings: shown.sort(byValue),
    computed_at: nowMs,
  }
}

function presentHolding(holding: Holding, solUsd: number | null): HoldingAnswer {
  const { mint, quantity, decimals, lots, price, priceIsStale } = holding
  const tokens = wholeTokens(quantity, decimals)
  const cost = costOfHeld(quantity, lots)
  const costSol = cost === null ? null : lamportsToSol(cost)
  const valueSol = price === null ? null : tokens * price
  return {
    mint,
    qty: tokens,
    no_cost_basis: costSol === null,
    price_stale: priceIsStale,
    cost_basis_sol: costSol,
    current_value_sol: valueSol,
    current_value_usd: solToUsd(valueSol, solUsd),
    unrealized_pnl_sol: valueSol === null || costSol === null ? null : valueSol - costSol,
  }
}

/** Descending, without a price last, ties by mint. */
function byValue(one: HoldingAnswer, other: HoldingAnswer): number {
  const values = [one.current_value_sol ?? -1, other.current_value_sol ?? -1] as const
  if (values[0] !== values[1]) return values[1] - values[0]
  return one.mint < other.mint ? -1 : 1
}
