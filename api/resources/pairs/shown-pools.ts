/**
 * Cursor of the list of tokens' pools. Volumes change between pages, so that a position in their order would skip
 * and repeat pools. The cursor names the pools that were shown instead. Pure.
 *
 * It names at most SHOWN_MAX pools, so that a URL has room for them next to 200 mints. The pools after those are
 * listed by pool id, which never changes.
 */
import {
  type CursorList,
  cursorNumber,
  decodeCursor,
  encodeCursor,
  notOfThisList,
} from '../../routing/reading/cursor.ts'

/** `afterId`: after the pools that were shown the list continues by id, and has reached this one. */
export type PoolsPosition = { shown: readonly number[]; afterId?: number }

export const SHOWN_MAX = 1_000
export const POOL_ID_MAX = 2 ** 31 - 1
/** Longer than any of ours: ids so far apart that each takes 4 bytes, in base64 twice. */
export const POOLS_CURSOR_LENGTH_MAX = 8_192

const BY_VOLUME = ''
/** A byte holds 7 bits of a number; the eighth is set when more follow. */
const BITS = 7
const MORE = 1 << BITS

export function poolsCursor(
  list: CursorList,
  { shown, afterId = undefined }: PoolsPosition,
): string {
  return encodeCursor(list, [packed(shown), afterId ?? BY_VOLUME])
}

/** Throws ApiError for a text that is no cursor of the list. */
export function readPoolsCursor(list: CursorList, text: string): PoolsPosition {
  const [ids = '', afterId = ''] = decodeCursor(list, text, 2)
  const shown = unpacked(ids)
  return afterId === BY_VOLUME ? { shown } : { shown, afterId: cursorNumber(afterId, POOL_ID_MAX) }
}

/** Ids in ascending order, each as its distance from the one before: mostly two bytes. */
function packed(ids: readonly number[]): string {
  const bytes: number[] = []
  let last = 0
  for (const id of ids.toSorted((a, b) => a - b)) {
    let rest = id - last
    for (; rest >= MORE; rest >>= BITS) bytes.push((rest % MORE) + MORE)
    bytes.push(rest)
    last = id
  }
  return Buffer.from(bytes).toString('base64url')
}

function unpacked(text: string): number[] {
  const ids: number[] = []
  let last = 0
  let distance = 0
  let scale = 1
  for (const byte of Buffer.from(text, 'base64url')) {
    distance += (byte % MORE) * scale
    scale *= MORE
    if (byte >= MORE) continue
    last += distance
    if (last > POOL_ID_MAX) throw notOfThisList()
    ids.push(last)
    distance = 0
    scale = 1
  }
  return ids
}
