/**
 * Value of a wallet's holdings at the ends of days: closed days as they are stored, later days computed from
 * the current swaps. Used by the chart and by the equity of the performance.
 *
 * Invariant: no gaps. A job computes missing closed days and the request waits for it until its deadline; where no
 * job can be enqueued, or one skips a day because its clock shows another date, the request stores them itself.
 * Either way they are stored before they are served, so a day that was served as closed never changes.
 */

import { INT64_MAX } from '../../../domain/amount.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { dayStartMs } from '../../../domain/time/utc-day.ts'
import {
  type DaySpan,
  type DayWorth,
  dayWorths,
  GENERIC_PLAN,
  type HeldQuantity,
  lastClosedDay,
  missingSpan,
  planFor,
  type TokenClose,
  type TokenMint,
  wantedCloses,
} from '../../../domain/wallet/portfolio-value.ts'
import { listQuantities } from '../../../history/swaps/wallets.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { keepsAllPlans, query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { type JobRequests, JobsUnavailable } from '../../../streams/jobs/job.ts'
import type { Reading } from '../../routing/declaration.ts'
import type { RequestDays } from './request-days.ts'

/** `isClosed`: stored, the same for ever; else as of now. */
export type DayValue = DayWorth & { isClosed: boolean }
export type DayValues = {
  /** Ascending, one a day from the first trade's on, so far as it lies in the span; none for a wallet without. */
  days: DayValue[]
  /** US dollars a SOL, now; null while there is no rate. */
  solUsd: number | null
  /** Unix ms of the wallet's first trade; undefined for a wallet without. */
  firstMs?: number
}
export type ChartDeps = {
  jobs?: JobRequests | undefined
  now: () => number
  /** Absent: answers as of a slot request no job. */
  requestDays?: RequestDays
}
type DayCount = { change_count: number | null }

type History = {
  id: number
  first_ms: number
  newest_ms: number
  low_slot: number | null
  high_slot: number
  sol_usd: number | null
}
/** `unstored`: closed days of the span that are not stored, and nothing else is read. */
type Found<Values> = (Values & { unstored?: undefined }) | { unstored: DaySpan }

export const findHistory = query<History>('chart/find_history')
const findRate = query<{ sol_usd: number | null }>('chart/find_rate')
const listDays = query<{ day_ms: number; value_sol: number }>('chart/list_days')
/** By choose_plan. */
const PLANNED_BY_SETTING = { isPlannedBySetting: true }
const choosePlan = query('chart/choose_plan', PLANNED_BY_SETTING)
const listBalances = query<HeldQuantity & { is_whole: boolean }>(
  'chart/list_balances',
  PLANNED_BY_SETTING,
)
export const listCloses = query<TokenClose>('chart/list_closes', PLANNED_BY_SETTING)
const listMints = query<TokenMint>('wallets/list_mints', PLANNED_BY_SETTING)
const countChanges = query<DayCount>('chart/count_changes')
const insertDays = query('chart/insert_days')

/**
 * Values in SOL of the days of a span (`fromMs`, `toMs`: Unix ms with which the first and the last day
 * begin; -Infinity: from the first trade on), today at most, and what is read `beside` them of the same
 * state of the tables. Rejects with GATEWAY_TIMEOUT when closed days could not be stored in time,
 * UNAVAILABLE when the job that was to store them failed.
 */
export async function readDayValues<Beside>(
  reading: Reading,
  { wallet, fromMs, toMs }: DaySpan & { wallet: string },
  { jobs, now }: Pick<ChartDeps, 'jobs' | 'now'>,
  beside: (db: Queryable) => Promise<Beside>,
): Promise<DayValues & { beside: Beside }> {
  const { reader, signal } = reading
  const wanted = { fromMs, toMs: Math.min(toMs, dayStartMs(now())) }
  const readBoth = async (db: Queryable): Promise<Found<DayValues & { beside: Beside }>> => {
    const [found, besides] = await Promise.all([readDays(db, wallet, wanted, now()), beside(db)])
    return found.unstored === undefined ? { ...found, beside: besides } : found
  }
  for (let isRequested = false; ; isRequested = true) {
    const found = await reader.run(signal, (db) => inSnapshot(db, () => readBoth(db)))
    if (found.unstored === undefined) return found
    const isDone = !isRequested && (await requestDays(jobs, wallet, signal))
    if (!isDone) await storeDays(reading, wallet, found.unstored)
  }
}

/** Waits for the job that stores closed days; false where none can be enqueued. */
async function requestDays(
  jobs: JobRequests | undefined,
  wallet: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await jobs?.requestAndWait('chart-backfill', { wallet }, signal)
    return jobs !== undefined
  } catch (error) {
    if (error instanceof JobsUnavailable) return false
    throw error
  }
}

/** Does the work of the job for the days of this request. When two writers store a day, the first wins. */
async function storeDays(
  { reader, signal }: Reading,
  wallet: string,
  unstored: DaySpan,
): Promise<void> {
  await reader.run(signal, async (db) => {
    const stored = await inSnapshot(db, async () => {
      const [history] = await findHistory(db, [wallet])
      if (history === undefined) return undefined
      const { fromMs, toMs } = unstored
      // All slots: swaps that the ledger has yet to read belong to their day, too.
      const [, held] = await Promise.all([
        choosePlan(db, [GENERIC_PLAN]),
        listQuantities(db, {
          walletId: history.id,
          low: 0,
          high: INT64_MAX,
          fromMs,
          toMs,
          tokenIds: null,
        }),
      ])
      const [tokenIds] = wantedCloses(held, unstored)
      const [worths, counts] = await Promise.all([
        worthOf(db, held, unstored),
        countChanges(db, [fromMs, toMs, tokenIds]),
      ])
      const days = worths.map(({ dayMs }) => dayMs)
      const values = worths.map(({ valueSol }) => valueSol)
      return [history.id, days, values, counts.map(({ change_count }) => change_count)]
    })
    if (stored !== undefined) await insertDays(db, stored)
  })
}

async function readDays(
  db: Queryable,
  wallet: string,
  wanted: DaySpan,
  nowMs: number,
): Promise<Found<DayValues>> {
  const [history] = await findHistory(db, [wallet])
  if (history === undefined) {
    const [rate] = await findRate(db)
    return { days: [], solUsd: rate?.sol_usd ?? null }
  }
  const fromMs = Math.max(wanted.fromMs, dayStartMs(history.first_ms))
  const closedToMs = Math.min(wanted.toMs, lastClosedDay(history.newest_ms, nowMs))
  const liveSpan = { fromMs: Math.max(fromMs, closedToMs + DAY_MS), toMs: wanted.toMs }
  // Read as far as the ledger has come, as everything else that is served of a wallet.
  const [stored, held] = await inOnePiece(db, () =>
    Promise.all([listDays(db, [history.id, fromMs, closedToMs]), readHeld(db, history, liveSpan)]),
  )
  const unstored = missingSpan(
    { fromMs, toMs: closedToMs },
    stored.map(({ day_ms }) => day_ms),
  )
  if (unstored !== undefined) return { unstored }
  const live = await worthOf(db, held, liveSpan)
  const days = [
    ...stored.map(({ day_ms, value_sol }) => ({
      dayMs: day_ms,
      valueSol: value_sol,
      isClosed: true,
    })),
    ...live.map((worth) => ({ ...worth, isClosed: false })),
  ]
  return { days, solUsd: history.sol_usd, firstMs: history.first_ms }
}

/** Also chooses how `worthOf` is planned, until the end of the transaction. */
async function readHeld(db: Queryable, history: History, span: DaySpan): Promise<HeldQuantity[]> {
  if (span.fromMs > span.toMs) return []
  const slots = { low: history.low_slot ?? 0, high: history.high_slot }
  const wanted = { walletId: history.id, ...slots, ...span }
  return plannedBySpan(db, slots, () => storedQuantities(db, wanted))
}

/** Reads swaps of these slots; what is planned by setting is planned for them until the end of the transaction. */
export async function plannedBySpan<Row>(
  db: Queryable,
  { low, high }: { low: number; high: number },
  read: () => Promise<Row[]>,
): Promise<Row[]> {
  const plan = keepsAllPlans(db) ? GENERIC_PLAN : planFor(low, high)
  const [, rows] = await Promise.all([choosePlan(db, [plan]), read()])
  return rows
}

export async function worthOf(
  db: Queryable,
  held: readonly HeldQuantity[],
  span: DaySpan,
  closesOf: (wanted: ReturnType<typeof wantedCloses>) => Promise<TokenClose[]> = (wanted) =>
    listCloses(db, wanted),
): Promise<DayWorth[]> {
  if (span.fromMs > span.toMs) return []
  const wanted = wantedCloses(held, span)
  const [closes, mints] = await Promise.all([closesOf(wanted), listMints(db, [wanted[0]])])
  return dayWorths(held, closes, mints, span)
}

/** `decimals`: of tokens, where these are not those of now. */
type StoredWanted = DaySpan & {
  readonly walletId: number
  readonly low: number
  readonly high: number
  readonly decimals?: ReadonlyMap<number, number>
}
/** Tokens whose balance is not that of their last slot (`changed`), or not in the decimals of it (`restated`). */
type NotOfBalance = {
  readonly changed: readonly number[]
  readonly restated: ReadonlySet<number>
}

/** By the ledger's balances of now, and by the swaps of those tokens that traded on several days, and of these that are not of their balance. */
export async function storedQuantities(
  db: Queryable,
  wanted: StoredWanted,
  { changed, restated }: NotOfBalance = { changed: [], restated: new Set() },
): Promise<HeldQuantity[]> {
  const balances = await listBalances(db, [wanted.walletId, wanted.toMs])
  const folded = new Set(changed)
  for (const { token_id, is_whole } of balances) {
    if (!is_whole || restated.has(token_id)) folded.add(token_id)
  }
  const whole = balances.filter(({ token_id }) => !folded.has(token_id))
  if (folded.size === 0) return whole
  const others = await listQuantities(db, { ...wanted, tokenIds: [...folded] })
  return [...whole, ...others].sort((a, b) => a.token_id - b.token_id)
}
