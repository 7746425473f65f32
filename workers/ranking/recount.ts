/**
 * Recounts the traders of all tokens from the `swap` table: after a gap in FEED, and by `rebuild ranking`. A
 * transaction recounts one page of tokens and stores the high-water mark of each pool lane, the last commit whose
 * swaps it counted. The ranking actor skips trades up to that mark when FEED delivers them. An interrupted recount
 * resumes at its next page.
 */
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { storedSince } from '../../history/sealed/find/stored.ts'
import { recountTokens } from '../../history/swaps/slots.ts'
import type { Connection } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { recountMarket } from './market-traders.ts'
import { TRADERS_EXACT } from './traders.ts'

type WatermarkRow = {
  from_token_id: number
  to_token_id: number
  pool_lane: number
  commit_number: number
}

const findRecount = query<{ next_token_id: number }>('ranking/find_recount')
export const findRecountPage = query<{ to_token_id: number }>('ranking/find_recount_page')
const holdChunks = query('ranking/hold_chunks')
const deleteMinutes = query('ranking/delete_minutes_between')
const deleteHours = query('ranking/delete_hours_between')
const deleteCovers = query('ranking/delete_covers_between')
const advanceRecount = query('ranking/advance_recount')
export const beginRecount = query('ranking/begin_recount')
const deleteRecount = query('ranking/delete_recount')
const listCovers = query<WatermarkRow>('ranking/list_covers')

/** Swaps of a page: about a second's work. */
export const RECOUNT_PAGE_SWAPS = 100_000
const TOKEN_ID_MAX = 2 ** 31 - 1

/** High-water marks of recounted pages, by token range and pool lane (table `ranking_cover`). */
export class RecountWatermarks {
  private readonly rows: readonly WatermarkRow[]
  /** By pool lane: the highest mark. */
  private readonly greatest: number[] = []

  constructor(rows: readonly WatermarkRow[]) {
    this.rows = rows
    for (const { pool_lane: lane, commit_number: commit } of rows) {
      this.greatest[lane] = Math.max(this.greatest[lane] ?? 0, commit)
    }
  }

  /** Whether a recount may have counted swaps of this commit, of any token. */
  mayInclude(poolLane: number, commitNumber: number): boolean {
    return commitNumber <= (this.greatest[poolLane] ?? 0)
  }

  /** Whether a recount counted the swaps of this token in this commit. */
  includes(tokenId: number, poolLane: number, commitNumber: number): boolean {
    return this.rows.some(
      (row) =>
        row.pool_lane === poolLane &&
        commitNumber <= row.commit_number &&
        tokenId >= row.from_token_id &&
        tokenId < row.to_token_id,
    )
  }
}

export async function loadRecountWatermarks(db: Queryable): Promise<RecountWatermarks> {
  return new RecountWatermarks(await listCovers(db))
}

/** The first token that a requested recount has yet to count; undefined when none is in progress. */
export async function nextRecounted(db: Queryable): Promise<number | undefined> {
  const [row] = await findRecount(db)
  return row?.next_token_id
}

/**
 * Recounts a page of tokens within the caller's transaction, and the market with the first page. Returns the number
 * of its swaps.
 */
export async function recountPage(connection: Connection, fromTokenId: number): Promise<number> {
  await holdChunks(connection)
  if (fromTokenId === 0) await recountMarket(connection)
  const [page] = await findRecountPage(connection, [fromTokenId, RECOUNT_PAGE_SWAPS])
  const toTokenId = page?.to_token_id ?? TOKEN_ID_MAX
  const fromMs = await countedFrom(connection)
  for (const remove of [deleteMinutes, deleteHours]) {
    await remove(connection, [fromTokenId, toTokenId, fromMs])
  }
  await deleteCovers(connection, [fromTokenId, toTokenId])
  if (page === undefined) {
    await deleteRecount(connection)
    return 0
  }
  const swapCount = await recountTokens(connection, [fromTokenId, toTokenId], fromMs, TRADERS_EXACT)
  await advanceRecount(connection, [toTokenId])
  return swapCount
}

/** The first hour whose swaps are all stored: the counts of earlier ones stay. */
async function countedFrom(connection: Connection): Promise<number> {
  const since = await storedSince(connection)
  return since === undefined ? 0 : Math.ceil(since.ms / HOUR_MS) * HOUR_MS
}
