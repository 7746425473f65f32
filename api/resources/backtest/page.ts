/** Pages of the trades of an answer that is computed again for each. Pure. */
import { ApiError } from '../../routing/error.ts'
import { cursorNumber, decodeCursor, encodeCursor } from '../../routing/reading/cursor.ts'
import type { CopyRequest } from './schema.ts'

const LIST = ['copies'] as const
/** Digits of the hash of an answer that distinguish it from a later one. */
const HASH_LENGTH = 16

type Page = {
  /** The request, up to the slot that its first page was read to. */
  readonly request: CopyRequest
  /** Index of the first trade. */
  readonly first: number
  /** Throws ApiError where the answer is not the one of the pages before. */
  expectSame(hash: string): void
}

/** Throws ApiError. */
export function pageOf(given: CopyRequest): Page {
  const { cursor, ...request } = given
  if (cursor === undefined) return { request, first: 0, expectSame() {} }
  const [slot = '', index = '', known] = decodeCursor(LIST, cursor, 3)
  const toSlot = cursorNumber(slot)
  const isOpen = request.to_slot === undefined && request.to === undefined
  return {
    request: isOpen ? { ...request, to_slot: toSlot } : request,
    first: cursorNumber(index),
    expectSame(hash) {
      if (hash.startsWith(known ?? '')) return
      throw new ApiError(
        'INVALID_PARAM',
        'cursor: the settings or the stored swaps are others than those of its answer: begin without it',
      )
    },
  }
}

/** Cursor of the trades from this index on; null after the last. */
export function cursorFrom(
  index: number,
  { count, toSlot, hash }: { count: number; toSlot: unknown; hash: string },
): string | null {
  return index < count ? encodeCursor(LIST, [toSlot, index, hash.slice(0, HASH_LENGTH)]) : null
}
