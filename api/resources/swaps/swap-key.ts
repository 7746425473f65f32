/**
 * Canonical order key of a swap, from a row and from a cursor. Pure.
 *
 * ```
 * (slot, block_tx_index, ix_index, dex) | is_buy, signature, pair, user, amounts
 *  what the indexes know                | ties: read whole, ordered here
 * ```
 */
import { INT64_MAX, type Int64 } from '../../../domain/amount.ts'
import { compareSwaps, type SwapOrderKey } from '../../../domain/events/swap.ts'
import { isAddress, isSignature } from '../../../domain/numbers/base58.ts'
import { DEX_MAX, type DexId } from '../../../domain/venue.ts'
import type { Order, ServedSwap } from '../../../history/swaps/served-swap.ts'
import {
  type CursorList,
  cursorInteger,
  cursorNumber,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'

export const KEY_FIELDS = 10
const INT32_MAX = 2_147_483_647

export function keyOf(row: ServedSwap): SwapOrderKey {
  return {
    slot: row.slot,
    blockTxIndex: row.block_tx_index,
    ixIndex: row.ix_index,
    dex: row.dex,
    isBuy: row.is_buy,
    signature: row.signature,
    pairAddress: row.pair_address,
    user: row.user,
    solAmount: row.sol_amount,
    tokenAmount: row.token_amount,
  }
}

export function compareKeys(a: SwapOrderKey, b: SwapOrderKey, order: Order): number {
  const ascending = compareSwaps(a, b)
  return order === 'asc' ? ascending : -ascending
}

export function sortRows<Row extends ServedSwap>(rows: readonly Row[], order: Order): Row[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }))
  return keyed.sort((a, b) => compareKeys(a.key, b.key, order)).map(({ row }) => row)
}

/** A list of swaps by its name and order, of a mint, a pool or a trader where one is requested. */
export function swapList(
  name: string,
  order: Order,
  of: {
    token_address?: string | undefined
    pair_address?: string | undefined
    user?: string | undefined
  },
): CursorList {
  return ['swap', name, order, of.token_address, of.pair_address, of.user]
}

export function swapCursor(list: CursorList, row: ServedSwap): string {
  return encodeCursor(list, keyFields(keyOf(row)))
}

/** The key in a cursor of the list. Throws ApiError INVALID_PARAM. */
export function keyOfCursor(list: CursorList, cursor: string): SwapOrderKey {
  return keyOfFields(decodeCursor(list, cursor, KEY_FIELDS))
}

/** A key as fields of a cursor: KEY_FIELDS of them. */
export function keyFields(key: SwapOrderKey): unknown[] {
  return [
    key.slot,
    key.blockTxIndex,
    key.ixIndex,
    key.dex,
    key.isBuy ? 1 : 0,
    key.signature,
    key.pairAddress,
    key.user,
    key.solAmount,
    key.tokenAmount,
  ]
}

/** The key of a cursor's fields. Throws ApiError INVALID_PARAM. */
export function keyOfFields(fields: readonly string[]): SwapOrderKey {
  const [slot, tx, ix, dex, side, signature, pair, user, sol, amount] = fields as [
    ...[string, string, string, string, string],
    ...[string, string, string, string, string],
  ]
  if (!isSignature(signature) || !isAddress(pair) || !isAddress(user)) throw notOfThisList()
  return {
    slot: cursorNumber(slot),
    blockTxIndex: cursorNumber(tx),
    ixIndex: cursorNumber(ix, INT32_MAX),
    dex: cursorNumber(dex, DEX_MAX) as DexId,
    isBuy: cursorNumber(side, 1) === 1,
    signature,
    pairAddress: pair,
    user,
    solAmount: cursorAmount(sol),
    tokenAmount: cursorAmount(amount),
  }
}

function cursorAmount(text: string): Int64 {
  const lamportsOrUnits = cursorInteger(text)
  if (lamportsOrUnits > INT64_MAX) throw notOfThisList()
  return lamportsOrUnits
}
