/**
 * Reads the leaderboard and the calendar of KOLs. The stored ranking serves while it is recent enough; otherwise a
 * small window is computed within the request, and a large one by a job, which all concurrent requests of all
 * processes share. Where no job can be enqueued, a large window is computed within the request, too, until its
 * deadline.
 */

import type { Exact } from '../../../domain/amount.ts'
import {
  AGE_MAX_MS,
  DIRECT_ROWS_MAX,
  type LeaderboardPeriod,
  lastMsOf,
  rankedHours,
} from '../../../domain/wallet/leaderboard.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import { type Tag, tagsOf } from '../../../domain/wallet/wallet-tag.ts'
import { listArbitrageurs } from '../../../history/swaps/wallets.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { type JobRequests, JobsUnavailable } from '../../../streams/jobs/job.ts'
import type { Reading } from '../../routing/declaration.ts'
import { ApiError } from '../../routing/error.ts'

export type RankRow = {
  rank: number
  wallet: string
  realized: Exact
  trade_count: number
  covered_sell_count: number
  win_count: number
  is_kol: boolean
}

/** A rank, and the tags that its wallet has on any mint, each once. */
export type TaggedRank = RankRow & { tags: Tag[] }

type RanksWanted = {
  period: LeaderboardPeriod
  mode: PnlMode
  isHonest: boolean
  limit: number
  offset: number
}

/** ageMs: since before the figures were read. */
type Ranks = { rows: TaggedRank[]; ageMs: number }

const findRanking = query<{ age_ms: number }>('leaderboard/find_ranking')
const listPageRanks = query<RankRow>('leaderboard/list_page_ranks')
const listHonestRanks = query<RankRow>('leaderboard/list_honest_ranks')
const readNewest = query<{ newest_ms: number | null }>('leaderboard/read_newest')
const countHours = query<{ row_count: number }>('leaderboard/count_hours', { isPlannedAnew: true })
const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')
const listRanks = query<RankRow>('leaderboard/list_ranks', { isPlannedAnew: true })
const listKinds = query<{ wallet: string; bits: number }>('tags/list_kinds')

/** Rejects with JobFailed, or the signal's reason while the ranking is being made. */
export async function readRanks(
  wanted: RanksWanted,
  { reader, signal }: Reading,
  jobs: JobRequests | undefined,
  directRowsMax = DIRECT_ROWS_MAX,
): Promise<Ranks> {
  const atHand = await reader.run(signal, async (db) => {
    return (await readStored(db, wanted)) ?? (await compute(db, wanted, directRowsMax))
  })
  if (atHand !== undefined) return atHand
  if (jobs === undefined) throw beingMade(wanted.period)
  try {
    await jobs.requestAndWait('leaderboard', { period: wanted.period }, signal)
  } catch (error) {
    if (!(error instanceof JobsUnavailable)) throw error
    const all = await reader.run(signal, (db) => compute(db, wanted))
    if (all !== undefined) return all
  }
  const made = await reader.run(signal, (db) => readStored(db, wanted))
  if (made === undefined) throw beingMade(wanted.period)
  return made
}

function beingMade(period: LeaderboardPeriod): ApiError {
  return new ApiError('UNAVAILABLE', `the ranking of ${period} is being computed: try again`)
}

/** Undefined while there is none, or none that is young enough. */
async function readStored(db: Queryable, wanted: RanksWanted): Promise<Ranks | undefined> {
  const { period, mode, isHonest, limit, offset } = wanted
  const [stored] = await findRanking(db, [period])
  if (stored === undefined || stored.age_ms >= AGE_MAX_MS) return undefined
  const list = isHonest ? listHonestRanks : listPageRanks
  const rows = await tagged(db, await list(db, [period, mode, limit, offset]))
  return { rows, ageMs: stored.age_ms }
}

/** Undefined where the window has more rows than that. */
async function compute(
  db: Queryable,
  { period, mode, isHonest, limit, offset }: RanksWanted,
  rowsMax?: number,
): Promise<Ranks | undefined> {
  const [newest] = await readNewest(db)
  if (newest === undefined || newest.newest_ms === null) return { rows: [], ageMs: 0 }
  const { ranked, judged, all } = rankedHours(period, newest.newest_ms)
  if (rowsMax !== undefined) {
    const [counted] = await countHours(db, [all.fromMs, all.toMs, rowsMax + 1])
    if ((counted?.row_count ?? 0) > rowsMax) return undefined
  }
  const [slots] = await findSlotRange(db, [judged.fromMs, lastMsOf(judged)])
  const range = { low: slots?.low_slot ?? 0, high: slots?.high_slot ?? 0 }
  const left = isHonest ? await listArbitrageurs(db, judged, range) : []
  const hours = [ranked.fromMs, ranked.toMs]
  const rows = await listRanks(db, [...hours, mode, int4Array(left), limit, offset])
  return { rows: await tagged(db, rows), ageMs: 0 }
}

/** Adds the present tags of the wallets: a stored ranking has none. */
async function tagged(db: Queryable, rows: readonly RankRow[]): Promise<TaggedRank[]> {
  const kinds = await listKinds(db, [rows.map(({ wallet }) => wallet)])
  const bitsOf = new Map(kinds.map(({ wallet, bits }) => [wallet, bits]))
  return rows.map((row) => ({ ...row, tags: tagsOf(bitsOf.get(row.wallet) ?? 0) }))
}

/** A KOL and a day on which it traded; the day is null where it has none in the range. */
export type KolDayRow = {
  wallet: string
  display_name: string
  twitter_handle: string
  all_time: Exact
  day_ms: number | null
  realized: Exact | null
}

const listKolDays = query<KolDayRow>('leaderboard/list_kol_days', { isPlannedAnew: true })

/** Days of the top KOLs from one snapshot, ordered by KOL and day. */
export function readKolDays(
  db: Queryable,
  { mode, topN, fromMs, toMs }: { mode: PnlMode; topN: number; fromMs: number; toMs: number },
): Promise<KolDayRow[]> {
  return listKolDays(db, [mode, topN, fromMs, toMs])
}
