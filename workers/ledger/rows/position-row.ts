/**
 * A position's state as a row of `position`, and back. The sealed chunks of its lots are rows of `lot_chunk`.
 *
 * Law: a row states no more of its newest swap than its slot and what readers recognise it by. A state of a row ends after
 * every swap of that slot, so a further swap of the slot is not newer and the position is recomputed from the stored
 * swaps: they decide its order and its transaction. A lane's memory knows the swap itself.
 * Decision: docs/decisions/0083-stored-swaps-break-ties.md
 */
import type { Int64 } from '../../../domain/amount.ts'
import type { SwapOrderKey } from '../../../domain/events/swap.ts'
import { LotQueue } from '../../../domain/ledger/lots.ts'
import { emptyPosition, type PositionState } from '../../../domain/ledger/position.ts'
import type { DexId } from '../../../domain/venue.ts'
import { int4ArrayBytes } from '../../../sql/binary/arrays.ts'
import type { CopyBuffer } from '../../../sql/binary/copy-writer.ts'

/** Named, because a later version may add columns next to this one. */
const NAMES = `
  wallet_id, token_id, swap_count, buy_count, sell_count, covered_sell_count, win_count,
  transaction_count, arbitrage_count, balance, basis, lots_cost, realized_strict,
  realized_adjusted, buys_lamports, sells_lamports, uncovered_quantity, uncovered_lamports,
  largest_buy_lamports, largest_sell_lamports, fastest_flip_ms, longest_hold_ms,
  first_trade_ms, last_trade_ms, newest_buy_ms, lot_first, lot_next, last_slot,
  last_sol_amount, last_token_amount, last_ix_index, last_dex, decimals, last_is_buy, lot_head,
  lot_tail, held_changes
`
export const COPY_POSITION_STAGE = `copy position_stage (${NAMES}) from stdin (format binary)`
export const COPY_POSITIONS = `copy position (${NAMES}) from stdin (format binary)`

/** The columns of sql/fragments/stored_position_columns.sql. */
export type PositionRow = {
  wallet_id: number
  token_id: number
  swap_count: number
  buy_count: number
  sell_count: number
  covered_sell_count: number
  win_count: number
  transaction_count: number
  arbitrage_count: number
  balance: string
  basis: string
  lots_cost: string
  realized_strict: string
  realized_adjusted: string
  buys_lamports: string
  sells_lamports: string
  uncovered_quantity: string
  uncovered_lamports: string
  largest_buy_lamports: Int64
  largest_sell_lamports: Int64
  fastest_flip_ms: number | null
  longest_hold_ms: number | null
  first_trade_ms: number
  last_trade_ms: number
  newest_buy_ms: number | null
  lot_first: number
  lot_next: number
  last_slot: number
  last_sol_amount: Int64
  last_token_amount: Int64
  last_ix_index: number
  last_dex: number
  decimals: number
  last_is_buy: boolean
  lot_head: Buffer
  lot_tail: Buffer
  held_changes: number[] | null
}

/** Fields of an order key that follows every swap of its slot. */
const END_OF_SLOT = {
  blockTxIndex: Number.POSITIVE_INFINITY,
  signature: '',
  pairAddress: '',
} as const satisfies Partial<SwapOrderKey>

const COLUMNS = 37
/** Lengths and numbers; the parts without a bound are added. */
const ROW_BYTES = 768

export function writePositionRow(
  rows: CopyBuffer,
  walletId: number,
  tokenId: number,
  state: PositionState,
): void {
  const { last } = state
  if (last === undefined) throw new Error('a position without a swap has no row')
  const { lots, heldChanges } = state
  const [headBytes, tailBytes] = [lots.headBytes, lots.tailBytes]
  const heldBytes = int4ArrayBytes(heldChanges.length)
  rows.row(COLUMNS, ROW_BYTES + headBytes + tailBytes + heldBytes)
  rows.int4(walletId)
  rows.int4(tokenId)
  rows.int8(state.swapCount)
  rows.int8(state.buyCount)
  rows.int8(state.sellCount)
  rows.int8(state.coveredSellCount)
  rows.int8(state.winCount)
  rows.int8(state.transactionCount)
  rows.int8(state.arbitrageCount)
  rows.numeric(state.balance)
  rows.numeric(state.basis)
  rows.numeric(lots.cost)
  rows.numeric(state.realizedStrict)
  rows.numeric(state.realizedAdjusted)
  rows.numeric(state.buysLamports)
  rows.numeric(state.sellsLamports)
  rows.numeric(state.uncoveredQuantity)
  rows.numeric(state.uncoveredLamports)
  rows.int8(state.largestBuyLamports)
  rows.int8(state.largestSellLamports)
  rows.optionalInt8(state.fastestFlipMs)
  rows.optionalInt8(state.longestHoldMs)
  rows.int8(state.firstTradeMs)
  rows.int8(state.lastTradeMs)
  rows.optionalInt8(state.newestBuyMs)
  rows.int8(lots.first)
  rows.int8(lots.next)
  rows.int8(last.slot)
  rows.int8(last.solAmount)
  rows.int8(last.tokenAmount)
  rows.int4(last.ixIndex)
  rows.int2(last.dex)
  rows.int2(state.decimals)
  rows.bool(last.isBuy)
  lots.writeHead(rows.view, rows.field(headBytes))
  lots.writeTail(rows.view, rows.field(tailBytes))
  if (heldChanges.length === 0) rows.null()
  else rows.int4Array(heldChanges)
}

/** `user`: the wallet's name, which the row knows by its id only. */
export function positionOfRow(row: PositionRow, user: string): PositionState {
  const state = emptyPosition()
  state.last = {
    slot: row.last_slot,
    ixIndex: row.last_ix_index,
    dex: row.last_dex as DexId,
    isBuy: row.last_is_buy,
    user,
    solAmount: row.last_sol_amount,
    tokenAmount: row.last_token_amount,
    ...END_OF_SLOT,
  }
  state.swapCount = row.swap_count
  state.decimals = row.decimals
  state.balance = BigInt(row.balance)
  state.basis = BigInt(row.basis)
  state.realizedStrict = BigInt(row.realized_strict)
  state.realizedAdjusted = BigInt(row.realized_adjusted)
  state.buysLamports = BigInt(row.buys_lamports)
  state.sellsLamports = BigInt(row.sells_lamports)
  state.buyCount = row.buy_count
  state.sellCount = row.sell_count
  state.coveredSellCount = row.covered_sell_count
  state.winCount = row.win_count
  state.uncoveredQuantity = BigInt(row.uncovered_quantity)
  state.uncoveredLamports = BigInt(row.uncovered_lamports)
  state.largestBuyLamports = BigInt(row.largest_buy_lamports)
  state.largestSellLamports = BigInt(row.largest_sell_lamports)
  state.fastestFlipMs = row.fastest_flip_ms ?? undefined
  state.longestHoldMs = row.longest_hold_ms ?? undefined
  state.newestBuyMs = row.newest_buy_ms ?? undefined
  state.firstTradeMs = row.first_trade_ms
  state.lastTradeMs = row.last_trade_ms
  state.transactionCount = row.transaction_count
  state.arbitrageCount = row.arbitrage_count
  state.heldChanges = row.held_changes ?? []
  state.lots = new LotQueue({
    first: row.lot_first,
    next: row.lot_next,
    quantity: state.balance,
    cost: BigInt(row.lots_cost),
    head: row.lot_head,
    tail: row.lot_tail,
  })
  return state
}

/** A state as its row gives it back: without the transactions of the newest slot. */
export function asStored(state: PositionState): PositionState {
  const { last } = state
  if (last === undefined) return state
  return {
    ...state,
    last: { ...last, ...END_OF_SLOT },
    lastSides: 0,
    slotTransactions: undefined,
  }
}
