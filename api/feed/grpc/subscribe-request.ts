/**
 * Validates a SubscribeRequest. Pure. The protobuf library passes int64 as text, and in `start` the name of the field
 * that was given.
 */

import { cut } from '../../../domain/text/truncate.ts'
import { type Cursor, readCursor } from '../../../streams/feed/feed-cursor.ts'
import type { Tier } from '../../routing/caller.ts'
import { type FeedFilter, FilterError, type ParsedFilter, parseFilter } from '../filter.ts'

export type GivenRequest = {
  filter?: GivenFilter | null
  start?: 'cursor' | 'slot'
  cursor?: string
  slot?: string
  heartbeat_seconds: number
  max_batch: number
  slot_if_expired?: string
}
type GivenFilter = Record<'tokens' | 'pools' | 'wallets' | 'venues' | 'wallet_tags', string[]> & {
  swap_type?: string
  min_sol?: number
}

export type Start =
  | { kind: 'live' }
  /** `slot`: start here if FEED no longer holds the cursor. */
  | { kind: 'cursor'; cursor: Cursor; slot: number | undefined }
  | { kind: 'slot'; slot: number }

export type Wanted = {
  filter: FeedFilter
  locked: ParsedFilter['locked']
  start: Start
  heartbeatMs: number
  countMax: number
}

/** Invalid request: reported as INVALID_ARGUMENT with this text. */
export class RequestError extends Error {
  override name = 'RequestError'
}

const HEARTBEAT = { usual: 15, max: 60 }
const BATCH = { usual: 250, max: 250 }

/** Throws RequestError. */
export function parseRequest(given: GivenRequest, tier: Tier): Wanted {
  const { filter, locked } = readFilter(given.filter, tier)
  return {
    filter,
    locked,
    start: readStart(given),
    heartbeatMs: 1_000 * readCount('heartbeat_seconds', given.heartbeat_seconds, HEARTBEAT),
    countMax: readCount('max_batch', given.max_batch, BATCH),
  }
}

function readFilter(given: GivenFilter | null | undefined, tier: Tier): ParsedFilter {
  const { tokens, pools, wallets, venues, wallet_tags, swap_type, min_sol } = given ?? {}
  // Protobuf cannot distinguish an empty list from an absent one: both restrict nothing.
  const lists = Object.fromEntries(
    Object.entries({ tokens, pools, wallets, venues, wallet_tags }).filter(
      ([, values]) => values !== undefined && values.length > 0,
    ),
  )
  try {
    return parseFilter({ ...lists, swap_type, min_sol }, 'swaps', tier)
  } catch (error) {
    if (error instanceof FilterError) throw new RequestError(`filter: ${error.message}`)
    throw error
  }
}

function readStart({ start, cursor = '', slot = '', slot_if_expired }: GivenRequest): Start {
  if (start !== 'cursor' && slot_if_expired !== undefined) {
    throw new RequestError(`slot_if_expired "${slot_if_expired}": expected together with a cursor`)
  }
  if (start === undefined) return { kind: 'live' }
  if (start === 'slot') return { kind: 'slot', slot: readSlot('slot', slot) }
  const read = readCursor(cursor)
  if (read !== undefined) {
    const later =
      slot_if_expired === undefined ? undefined : readSlot('slot_if_expired', slot_if_expired)
    return { kind: 'cursor', cursor: read, slot: later }
  }
  const text = `cursor "${cut(cursor, 64)}": expected <epoch>-<sequence>, as answers carry it`
  throw new RequestError(text)
}

function readSlot(name: string, text: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new RequestError(`${name} "${text}": expected an integer of 0 to 2^53 - 1`)
}

function readCount(
  name: string,
  given: number,
  { usual, max }: { usual: number; max: number },
): number {
  if (given === 0) return usual
  if (given <= max) return given
  throw new RequestError(`${name} "${given}": expected 1 to ${max}, or 0 for ${usual}`)
}
