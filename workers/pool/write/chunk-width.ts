/**
 * How many slots the next chunks of `swap` are wide. Each chunk has its own indexes, so a busy market needs narrow
 * chunks; but a query over a wallet's history is planned for every chunk, 0.1 ms each and more, and chunks are retained
 * for ever: in a quiet market they are wider, up to four days.
 *
 * ```
 * a batch with slots of a quarter of a day that was not seen yet -> fill of the last chunks -> the next width
 * ```
 * Law: the densest of these chunks decides, so that neither an old history nor a pause of the market widens the chunks
 * of a busy one. Existing chunks never change.
 * Decision: docs/decisions/0013-swap-is-partitioned-by-slot.md
 */

import type { Swap } from '../../../domain/events/swap.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

/** About six hours: the least width of a chunk. */
export const CHUNK_SLOTS = 54_000
/** Times that; four days. A market that wakes up fills one of these at its new rate before the next is narrower. */
const WIDEST = 16
/** Swaps that a widened chunk may hold; a chunk is narrowed only at twice that. */
const ROWS_WANTED = 20_000_000
/** Least slots of a chunk that its density is estimated from: fewer are no sample. */
const TELLING_SLOTS = CHUNK_SLOTS / 10
/** So many of less than that are a market that hardly trades. */
const SPARSE_CHUNKS = 3
/** At most so many quarters of a day are remembered as checked. */
const REMEMBERED_MAX = 10_000

export type ChunkFill = { first_slot: number; last_slot: number; row_count: number }

const listChunkFills = query<
  { width: number } & (ChunkFill | { first_slot: null; last_slot: null; row_count: null })
>('pool/list_chunk_fills')
const setChunkWidth = query('pool/set_chunk_width')

/** Chooses the width of chunks for one lane. */
export class ChunkWidth {
  readonly #db: Queryable
  readonly #laneCount: number
  readonly #seen = new Set<number>()

  constructor(db: Queryable, laneCount: number) {
    this.#db = db
    this.#laneCount = laneCount
  }

  /** Before swaps are stored: of the chunks that they make. */
  async prepare(swaps: readonly { swap: Pick<Swap, 'slot'> }[]): Promise<void> {
    const fresh = this.#countFresh(swaps)
    if (fresh.size === 0) return
    if (this.#seen.size + fresh.size > REMEMBERED_MAX) this.#seen.clear()
    for (const span of fresh.keys()) this.#seen.add(span)
    const rows = await listChunkFills(this.#db)
    const [{ width } = { width: CHUNK_SLOTS }] = rows
    const fills = rows.filter(
      (row): row is { width: number } & ChunkFill => row.first_slot !== null,
    )
    const swapCount = fresh.values().reduce((sum, count) => sum + count, 0) * this.#laneCount
    const wanted = chunkWidth(width, fills, fresh.size > 1 ? swapCount / fresh.size : undefined)
    if (wanted !== width) await setChunkWidth(this.#db, [wanted])
  }

  /** How many swaps lie in each quarter of a day that was not seen. */
  #countFresh(swaps: readonly { swap: Pick<Swap, 'slot'> }[]): Map<number, number> {
    const fresh = new Map<number, number>()
    let last = Number.NaN
    for (const { swap } of swaps) {
      const span = Math.floor(swap.slot / CHUNK_SLOTS)
      // Mostly they are all of one that is known.
      if (span === last) continue
      if (this.#seen.has(span)) last = span
      else fresh.set(span, (fresh.get(span) ?? 0) + 1)
    }
    return fresh
  }
}

/**
 * Slots of the next chunks, which are `width` wide so far. `brought`: swaps for each quarter of a day, of a batch
 * that spans several; undefined where it does not.
 */
export function chunkWidth(
  width: number,
  fills: readonly ChunkFill[],
  brought: number | undefined,
): number {
  const slotsOf = (fill: ChunkFill): number => fill.last_slot - fill.first_slot + 1
  const telling = fills.filter((fill) => slotsOf(fill) >= TELLING_SLOTS)
  const isSparse = telling.length === 0 && fills.length >= SPARSE_CHUNKS
  const densities = (isSparse ? fills : telling).map(
    (fill) => (fill.row_count / Math.max(TELLING_SLOTS, slotsOf(fill))) * CHUNK_SLOTS,
  )
  if (brought !== undefined) densities.push(brought)
  if (densities.length === 0) return width
  const densest = Math.max(...densities)
  let wanted = 1
  while (wanted < WIDEST && 2 * wanted * densest <= ROWS_WANTED) wanted *= 2
  const isTooWide = (width / CHUNK_SLOTS) * densest > 2 * ROWS_WANTED
  return isTooWide || wanted * CHUNK_SLOTS > width ? wanted * CHUNK_SLOTS : width
}
