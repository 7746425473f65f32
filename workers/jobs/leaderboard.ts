/**
 * Precomputes rankings: of each period every wallet in order, in all three modes, a thousand a row. A ranking is of one
 * instant, and replaces the stored one in one transaction.
 *
 * A window of few rows is not stored: a request reads its rows directly.
 *
 * Decision: docs/decisions/0025-leaderboards-and-screens-are-precomputed.md
 */

import {
  DIRECT_ROWS_MAX,
  LEADERBOARD_PERIODS,
  type LeaderboardPeriod,
  REMAKE_AFTER_MS,
  rankedHours,
} from '../../domain/wallet/leaderboard.ts'
import { PNL_MODES } from '../../domain/wallet/pnl-mode.ts'
import { mergeTransactions } from '../../history/swaps/wallets.ts'
import { type Connection, connectSession, type Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { JobFunction } from './job-function.ts'

const lockRanking = query('leaderboard/lock_ranking')
const findRanking = query<{ age_ms: number }>('leaderboard/find_ranking')
const readNewest = query<{ newest_ms: number | null; now_ms: number }>('leaderboard/read_newest')
const countHours = query<{ row_count: number }>('leaderboard/count_hours')
const createJudgedHours = query('leaderboard/create_judged_hours')
const deleteOldTransactions = query('leaderboard/delete_old_transactions')
const createFigures = query('leaderboard/create_figures')
const deletePages = query('leaderboard/delete_pages')
const insertPages = query('leaderboard/insert_pages')
const mergeRanking = query('leaderboard/merge_ranking')

/**
 * Enough to sort a million wallets in memory; a small window uses less. One core at most: parallel workers would cost
 * half as much again, and other queries need the other cores.
 */
const SETTINGS = ["set local work_mem = '128MB'", 'set local max_parallel_workers_per_gather = 0']

/**
 * Makes the ranking of one period, or of each: one transaction a period, so that each is visible as soon as it is made.
 */
export const makeLeaderboards: JobFunction<'leaderboard'> = async ({ period }, { db }, signal) => {
  for (const each of period === undefined ? LEADERBOARD_PERIODS : [period]) {
    signal.throwIfAborted()
    await makeRanking(db, each)
  }
}

type RankingOptions = {
  /** A ranking younger than this stays. */
  remakeAfterMs?: number
  /** Windows of so few rows are left to the request. */
  directRowsMax?: number
}

/** Whether it was made. A caller that arrives while another makes it waits for the lock, and then finds it stored. */
export async function makeRanking(
  db: Db,
  period: LeaderboardPeriod,
  options: RankingOptions = {},
): Promise<boolean> {
  const { remakeAfterMs = REMAKE_AFTER_MS, directRowsMax = DIRECT_ROWS_MAX } = options
  const connection = await connectSession(db)
  try {
    await lockRanking(connection)
    const [stored] = await findRanking(connection, [period])
    if (stored !== undefined && stored.age_ms < remakeAfterMs) return false
    await connection.query('begin isolation level repeatable read')
    const isMade = await writeRanking(connection, period, directRowsMax)
    await connection.query('commit')
    return isMade
  } finally {
    // Closing the session releases its lock and rolls back uncommitted changes.
    connection.release(true)
  }
}

async function writeRanking(
  connection: Connection,
  period: LeaderboardPeriod,
  directRowsMax: number,
): Promise<boolean> {
  const [at] = await readNewest(connection)
  if (at === undefined || at.newest_ms === null) return false
  const { ranked, judged, all } = rankedHours(period, at.newest_ms)
  const [counted] = await countHours(connection, [all.fromMs, all.toMs, directRowsMax + 1])
  if ((counted?.row_count ?? 0) <= directRowsMax) return false
  for (const setting of SETTINGS) await connection.query(setting)
  await createJudgedHours(connection, [judged.fromMs, judged.toMs])
  await deleteOldTransactions(connection, [judged.fromMs])
  await mergeTransactions(connection)
  await createFigures(connection, [ranked.fromMs, ranked.toMs])
  await deletePages(connection, [period])
  for (const mode of PNL_MODES) await insertPages(connection, [period, mode])
  await mergeRanking(connection, [period, at.now_ms, ranked.fromMs, ranked.toMs])
  return true
}
