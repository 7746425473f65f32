/**
 * Recounts tokens from the `swap` table, a page of tokens a transaction: after a gap in the feed, and by `rebuild
 * ranking`. The swaps that a page includes are noted with it (its cover), so that they are skipped when FEED still
 * brings them. An interrupted recount continues where it was.
 */
import type { Connection } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { recountMarket } from './market-traders.ts'
import { TRADERS_EXACT } from './traders.ts'

type CoverRow = {
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
const insertRecounted = query<{ swap_count: number }>('ranking/insert_recounted')
const advanceRecount = query('ranking/advance_recount')
export const beginRecount = query('ranking/begin_recount')
const deleteRecount = query('ranking/delete_recount')
const listCovers = query<CoverRow>('ranking/list_covers')

/** About a second's work. */
export const RECOUNT_PAGE_SWAPS = 100_000
const TOKEN_ID_MAX = 2 ** 31 - 1

/** Swaps of tokens that recounts have taken in. */
export class Covers {
  private readonly rows: readonly CoverRow[]
  /** By pool lane: no cover reaches further. */
  private readonly greatest: number[] = []

  constructor(rows: readonly CoverRow[]) {
    this.rows = rows
    for (const { pool_lane: lane, commit_number: commit } of rows) {
      this.greatest[lane] = Math.max(this.greatest[lane] ?? 0, commit)
    }
  }

  /** Whether any token's swaps of a commit may be taken in. */
  reach(poolLane: number, commitNumber: number): boolean {
    return commitNumber <= (this.greatest[poolLane] ?? 0)
  }

  has(tokenId: number, poolLane: number, commitNumber: number): boolean {
    return this.rows.some(
      (row) =>
        row.pool_lane === poolLane &&
        commitNumber <= row.commit_number &&
        tokenId >= row.from_token_id &&
        tokenId < row.to_token_id,
    )
  }
}

export async function loadCovers(db: Queryable): Promise<Covers> {
  return new Covers(await listCovers(db))
}

/** The token from which on tokens are to be counted; undefined when none is. */
export async function nextRecounted(db: Queryable): Promise<number | undefined> {
  const [row] = await findRecount(db)
  return row?.next_token_id
}

/** Within a transaction of the lane's owner; with the first, the market. Answers with the swaps of the page. */
export async function recountPage(connection: Connection, fromTokenId: number): Promise<number> {
  await holdChunks(connection)
  if (fromTokenId === 0) await recountMarket(connection)
  const [page] = await findRecountPage(connection, [fromTokenId, RECOUNT_PAGE_SWAPS])
  const toTokenId = page?.to_token_id ?? TOKEN_ID_MAX
  for (const remove of [deleteMinutes, deleteHours, deleteCovers]) {
    await remove(connection, [fromTokenId, toTokenId])
  }
  if (page === undefined) {
    await deleteRecount(connection)
    return 0
  }
  const [counted] = await insertRecounted(connection, [fromTokenId, toTokenId, TRADERS_EXACT])
  await advanceRecount(connection, [toTokenId])
  return counted?.swap_count ?? 0
}
