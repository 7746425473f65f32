/** The proof of a position as an answer shows it: whole lamports and base units. Pure. */
import {
  emptyPosition,
  type LedgerSwap,
  type PositionState,
} from '../../../domain/ledger/position.ts'
import type { MatchedBuy, ProvenLot } from '../../../domain/ledger/proof.ts'
import type { SellRow } from './lots-page.ts'
import type { LotsRead } from './read.ts'
import type { PositionLotsAnswer } from './schema.ts'

export function presentLots(
  { wallet, mint }: { wallet: string; mint: string },
  read: LotsRead | undefined,
): PositionLotsAnswer {
  const { proof, page } = read ?? {}
  return {
    wallet,
    mint,
    decimals: read?.decimals ?? null,
    totals: presentTotals(proof?.state ?? emptyPosition(), proof?.openLotCount ?? 0),
    sells: (page?.sells ?? []).map(presentSell),
    lots: (page?.lots ?? []).map(presentLot),
    next_cursor: read?.nextCursor ?? null,
  }
}

function presentTotals(state: PositionState, openLotCount: number): PositionLotsAnswer['totals'] {
  return {
    swap_count: state.swapCount,
    buy_count: state.buyCount,
    sell_count: state.sellCount,
    covered_sell_count: state.coveredSellCount,
    open_lot_count: openLotCount,
    balance: state.balance,
    buys_lamports: state.buysLamports,
    sells_lamports: state.sellsLamports,
    realized_raw_lamports: state.sellsLamports - state.buysLamports,
    realized_strict_lamports: state.realizedStrict,
    realized_adjusted_lamports: state.realizedAdjusted,
    cost_basis_strict_lamports: state.lots.cost,
    cost_basis_adjusted_lamports: state.basis,
    uncovered_sell_quantity: state.uncoveredQuantity,
    uncovered_sell_lamports: state.uncoveredLamports,
  }
}

function presentOrderKey(swap: LedgerSwap) {
  return {
    signature: swap.signature,
    slot: swap.slot,
    block_tx_index: swap.blockTxIndex,
    ix_index: swap.ixIndex,
    dex: swap.dex,
    pair_address: swap.pairAddress,
    timestamp: swap.timestamp,
  }
}

function presentSell({ proof, ...row }: SellRow): PositionLotsAnswer['sells'][number] {
  return {
    ...presentOrderKey(proof.sell),
    quantity: proof.quantity,
    covered_quantity: proof.coveredQuantity,
    proceeds_lamports: proof.proceedsLamports,
    covered_proceeds_lamports: proof.coveredProceedsLamports,
    matched_cost_lamports: proof.coveredProceedsLamports - proof.realizedStrict,
    realized_strict_lamports: proof.realizedStrict,
    balance_before: proof.balanceBefore,
    basis_before_lamports: proof.basisBefore,
    average_cost_lamports: proof.averageCostLamports,
    realized_adjusted_lamports: proof.realizedAdjusted,
    match_count: row.matchCount,
    matches_from: row.matchesFrom,
    matches: row.matches.map(presentMatch),
  }
}

export function presentMatch(match: MatchedBuy) {
  return {
    signature: match.signature,
    timestamp: match.timestamp,
    quantity: match.quantity,
    cost_lamports: match.costLamports,
    lot_quantity_before: match.lotQuantityBefore,
    lot_cost_before_lamports: match.lotCostBefore,
  }
}

export function presentLot(lot: ProvenLot): PositionLotsAnswer['lots'][number] {
  return {
    ...presentOrderKey(lot.buy),
    bought_quantity: lot.boughtQuantity,
    bought_lamports: lot.boughtLamports,
    quantity: lot.quantity,
    cost_lamports: lot.costLamports,
  }
}
