/** Renders holders of a token for REST and GraphQL. Every figure in SOL is divided once. Pure. */
import { divideSigned, lamportsToSol, solToUsd, wholeTokens } from '../../../domain/amount.ts'
import { whaleScore } from '../../../domain/wallet/wallet-tag.ts'
import type { Tier } from '../../routing/caller.ts'
import { holdersCursor } from './holders-cursor.ts'
import type { HolderPage, PriceRow, StakePage, StakeRow } from './read.ts'
import type { HolderPositionsAnswer, HoldersAnswer } from './schema.ts'

const LAMPORTS_A_SOL = 1e9

export function presentHolders(mint: string, page: HolderPage, computedMs: number): HoldersAnswer {
  const { holder_count, held, rows, next, price } = page
  return {
    mint,
    holder_count,
    held_supply: BigInt(held),
    holders: rows.map((row) => ({
      wallet: row.wallet,
      ...presentHolding(row, held, price),
      tags: row.tags,
    })),
    next_cursor: next === undefined ? null : holdersCursor(mint, next),
    computed_at: computedMs,
  }
}

/** Percent of the whole; 0 of nothing. */
export function percentOf(part: string | bigint, whole: string | bigint): number {
  const all = BigInt(whole)
  return all === 0n ? 0 : divideSigned(BigInt(part) * 100n, all)
}

function presentHolding(
  { balance, decimals }: { balance: string; decimals: number },
  held: string,
  { price, sol_usd }: PriceRow,
) {
  const qty = wholeTokens(balance, decimals)
  const valueSol = price === null ? null : qty * price
  return {
    balance_atomic: BigInt(balance),
    qty,
    share_pct: percentOf(balance, held),
    current_value_sol: valueSol,
    current_value_usd: solToUsd(valueSol, sol_usd),
  }
}

export function presentWhales(
  mint: string,
  page: StakePage,
  computedMs: number,
): HolderPositionsAnswer {
  const scoreOf = ({ balance, decimals, largest_buy_lamports, is_held }: StakeRow): number => {
    const tokens = is_held ? Number(balance) / 10 ** decimals : 0
    const open = BigInt(Math.floor(tokens * (page.price.price ?? 0) * LAMPORTS_A_SOL))
    return whaleScore(BigInt(largest_buy_lamports), open) ?? 0
  }
  return presentHolderPositions(mint, 'whale', page, scoreOf, computedMs)
}

export function presentSmartMoney(
  mint: string,
  page: StakePage,
  computedMs: number,
): HolderPositionsAnswer {
  return presentHolderPositions(mint, 'smart_money', page, ({ score = 0 }) => score, computedMs)
}

function presentHolderPositions(
  mint: string,
  tag: 'whale' | 'smart_money',
  { rows, total, held, price }: StakePage,
  scoreOf: (row: StakeRow) => number,
  computedMs: number,
): HolderPositionsAnswer {
  const results = rows.map((row) => {
    const holding = presentHolding(row, held, price)
    const costSol = lamportsToSol(row.basis)
    const valueSol = holding.current_value_sol
    const realizedSol = lamportsToSol(row.realized_adjusted)
    return {
      wallet: row.wallet,
      tag,
      score: scoreOf(row),
      position: {
        ...holding,
        cost_basis_sol: costSol,
        unrealized_sol: valueSol === null ? null : valueSol - costSol,
        total_buys_sol: lamportsToSol(row.buys_lamports),
        total_sells_sol: lamportsToSol(row.sells_lamports),
        largest_buy_sol: lamportsToSol(row.largest_buy_lamports),
        first_trade_ts: row.first_trade_ms,
        last_trade_ts: row.last_trade_ms,
      },
      realized_sol: realizedSol,
      realized_usd: solToUsd(realizedSol, price.sol_usd),
    }
  })
  return { mint, results, total, tier_locked: false, computed_at: computedMs }
}

/** Response to a caller of too low a tier: 200 without results. */
export function presentLocked(
  mint: string,
  tierRequired: Tier,
  upgradeUrl: string,
  computedMs: number,
): HolderPositionsAnswer {
  return {
    mint,
    results: [],
    tier_locked: true,
    tier_required: tierRequired,
    upgrade_url: upgradeUrl,
    computed_at: computedMs,
  }
}
