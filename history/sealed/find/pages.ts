/** Finds the sealed swaps that a page of a list may hold. */
import type { Int64 } from '../../../domain/amount.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import type { Sealed } from '../state.ts'
import type { StoredSwap } from '../stored-swap.ts'
import type { Direction } from './postings.ts'
import { holds, type Slots } from './ranges.ts'

/** The swaps of a list within slots: at least `rows` of each of its keys, if so many exist, and whole slots. */
type ListFinder = (
  db: Queryable,
  sealed: Sealed,
  slots: Slots,
  listing: { readonly order: Direction; readonly rows: number },
) => Promise<StoredSwap[]>
/** `keyOf`: what the finder counts rows of. */
export type FoundList = {
  readonly find: ListFinder
  readonly keyOf: (swap: StoredSwap) => number
}
type PageWanted = {
  readonly order: Direction
  readonly slots: Slots
  readonly rows: number
  readonly isWanted: (swap: StoredSwap) => boolean
  /** Milliseconds to search for matches. */
  readonly searchMs: number
}
/** `isComplete`: false where the time ran out, from when on swaps are in it whether they match or not. */
type FoundPage = { readonly swaps: readonly StoredSwap[]; readonly isComplete: boolean }

/** Rows that are read to find few that match. */
const SEARCHED_ROWS = 1_000

/** Swaps of the beginning of a list: at least `rows` that match, if so many exist, and whole slots. */
export async function searchPage(
  db: Queryable,
  sealed: Sealed,
  { find, keyOf }: FoundList,
  { order, slots, rows, isWanted, searchMs }: PageWanted,
): Promise<FoundPage> {
  const endMs = performance.now() + searchMs
  const matches: StoredSwap[] = []
  let rest: Slots | undefined = slots
  for (let size = rows; rest !== undefined; size = Math.max(rows, SEARCHED_ROWS)) {
    const isTimeUp = performance.now() >= endMs && size > rows
    const count: number = isTimeUp ? rows : size
    const found: StoredSwap[] = await find(db, sealed, rest, { order, rows: count })
    const left: Slots | undefined = afterFound(found, keyOf, rest, order, count)
    // Swaps of a key beyond the slot that all keys have come to are found again.
    const covered = left === undefined ? found : found.filter(({ slot }) => !holds(left, slot))
    matches.push(...(isTimeUp ? covered : covered.filter(isWanted)))
    if (isTimeUp) return { swaps: matches, isComplete: false }
    if (matches.length >= rows) break
    rest = left
  }
  return { swaps: matches, isComplete: true }
}

/** The rest of a range: from the nearest slot that a key with all of its rows came to; undefined: nothing. */
function afterFound(
  found: readonly StoredSwap[],
  keyOf: FoundList['keyOf'],
  { low, high }: Slots,
  order: Direction,
  count: number,
): Slots | undefined {
  const ends: number[] = []
  for (const own of Map.groupBy(found, keyOf).values()) {
    if (own.length < count) continue
    const reached = own.map(({ slot }) => slot).reduce((a, b) => further(a, b, order))
    ends.push(reached)
  }
  if (ends.length === 0) return undefined
  const end = ends.reduce((a, b) => further(a, b, order === 'asc' ? 'desc' : 'asc'))
  const rest: Slots = order === 'asc' ? { low: end + 1, high } : { low, high: end - 1 }
  return compare(rest.low, rest.high) > 0 ? undefined : rest
}

const further = (a: number, b: number, order: Direction): number =>
  order === 'asc' ? Math.max(a, b) : Math.min(a, b)

const compare = (a: Int64, b: Int64): number => (a < b ? -1 : a > b ? 1 : 0)
