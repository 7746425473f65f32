/** A wallet's trades as an answer shows them: exact lamports and base units. Pure. */
import { lamportsToSol, pricePerToken } from '../../../domain/amount.ts'
import type { SellProof } from '../../../domain/ledger/proof.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { ServedSwap } from '../../../history/swaps/served-swap.ts'
import type { CursorList } from '../../routing/reading/cursor.ts'
import { presentMatch } from '../lots/present.ts'
import { keyOf, swapCursor } from '../swaps/swap-key.ts'
import { nameOf, type TradePage } from './read.ts'
import { MATCHES_SHOWN, type TradeAnswer, type TradeListAnswer } from './schema.ts'

export function presentTrades(
  { w: wallet, pnl_mode }: { w: string; pnl_mode: PnlMode },
  list: CursorList,
  { rows, reached, proofs }: TradePage,
): TradeListAnswer {
  return {
    wallet,
    pnl_mode,
    trades: rows.map((row) => presentTrade(row, proofs.get(nameOf(keyOf(row))), pnl_mode)),
    next_cursor: reached === undefined ? null : swapCursor(list, reached),
  }
}

function presentTrade(row: ServedSwap, proof: SellProof | undefined, mode: PnlMode): TradeAnswer {
  const realized = realizedOf(row, proof, mode)
  const matches = proof?.matches ?? []
  return {
    ...row,
    price_per_token: pricePerToken(row.sol_amount, row.token_amount),
    realized_lamports: realized,
    realized_sol: realized === null ? null : lamportsToSol(realized),
    cost_lamports: proof === undefined ? null : costOf(proof, mode),
    covered_quantity: proof?.coveredQuantity ?? null,
    match_count: matches.length,
    matches: matches.slice(0, MATCHES_SHOWN).map(presentMatch),
  }
}

function realizedOf(row: ServedSwap, proof: SellProof | undefined, mode: PnlMode): bigint | null {
  if (mode === 'raw') return BigInt(row.sol_amount) * (row.is_buy ? -1n : 1n)
  if (proof === undefined) return null
  return mode === 'strict' ? proof.realizedStrict : proof.realizedAdjusted
}

function costOf(proof: SellProof, mode: PnlMode): bigint | null {
  if (mode === 'raw') return null
  if (mode === 'adjusted') return proof.averageCostLamports
  return proof.coveredProceedsLamports - proof.realizedStrict
}
