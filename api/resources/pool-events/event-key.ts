/**
 * Canonical order key of a pool event: (slot, block_tx_index, ix_index, dex), then signature, event
 * and pair_address as bytes. From a row and from a cursor. Pure.
 */

import { POOL_EVENT_KINDS } from '../../../domain/events/pool-event.ts'
import { isAddress, isSignature } from '../../../domain/numbers/base58.ts'
import { DEX_MAX } from '../../../domain/venue.ts'
import {
  type CursorList,
  cursorNumber,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'
import type { PoolEventAnswer } from './schema.ts'

/** A stored event by its wire names: already what an answer shows. */
export type EventRow = Omit<PoolEventAnswer, 'slot' | 'block_tx_index'> & {
  slot: number
  block_tx_index: number
}
export type EventKey = Pick<
  EventRow,
  'slot' | 'block_tx_index' | 'ix_index' | 'dex' | 'signature' | 'event' | 'pair_address'
>

const CURSOR_FIELDS = 7
const INT32_MAX = 2_147_483_647

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export function compareEvents(a: EventKey, b: EventKey): number {
  return (
    a.slot - b.slot ||
    a.block_tx_index - b.block_tx_index ||
    a.ix_index - b.ix_index ||
    a.dex - b.dex ||
    order(a.signature, b.signature) ||
    order(a.event, b.event) ||
    order(a.pair_address, b.pair_address)
  )
}

/** The list of pool events in an order, of a mint or a pool where one is requested. */
export function eventList(
  order: 'asc' | 'desc',
  of: { token_address?: string | undefined; pair_address?: string | undefined },
): CursorList {
  return ['event', order, of.token_address, of.pair_address]
}

export function eventCursor(list: CursorList, row: EventKey): string {
  return encodeCursor(list, [
    row.slot,
    row.block_tx_index,
    row.ix_index,
    row.dex,
    row.signature,
    row.event,
    row.pair_address,
  ])
}

/** The key in a cursor of the list. Throws ApiError INVALID_PARAM. */
export function keyOfEventCursor(list: CursorList, cursor: string): EventKey {
  const fields = decodeCursor(list, cursor, CURSOR_FIELDS)
  const [slot = '', tx = '', ix = '', dex = '', signature = '', kind = '', pair = ''] = fields
  const event = POOL_EVENT_KINDS.find((candidate) => candidate === kind)
  if (event === undefined || !isSignature(signature) || !isAddress(pair)) throw notOfThisList()
  return {
    slot: cursorNumber(slot),
    block_tx_index: cursorNumber(tx),
    ix_index: cursorNumber(ix, INT32_MAX),
    dex: cursorNumber(dex, DEX_MAX),
    signature,
    event,
    pair_address: pair,
  }
}
