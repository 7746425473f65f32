/**
 * What a wallet's holdings were worth at the ends of days: closed days as they are stored, those after
 * them computed from the swaps of now. For the chart and for the equity of the performance.
 *
 * Law: no holes. Closed days that are not stored are asked of a job and waited for, until the request's
 * deadline; a day that was served as closed is never served otherwise.
 */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import {
  type DaySpan,
  type DayWorth,
  dayWorths,
  type HeldQuantity,
  lastClosedDay,
  missingSpan,
  planFor,
  type TokenClose,
  wantedCloses,
} from '../../streams/chart.ts'
import type { AskJobs } from '../../streams/job.ts'
import { DAY_MS, dayStartMs } from '../../streams/utc-day.ts'
import { ApiError } from '../error.ts'
import { inSnapshot } from '../ledger-swaps.ts'
import type { Reading } from '../route.ts'

/** `isClosed`: stored, the same for ever; else as of now. */
export type DayValue = DayWorth & { isClosed: boolean }
export type DayValues = {
  /** Ascending, one a day from the first trade's on, so far as it lies in the span; none for a wallet without. */
  days: DayValue[]
  /** US dollars a SOL, now; null while there is no rate. */
  solUsd: number | null
}
export type ChartDeps = { jobs?: AskJobs; now: () => number }

type History = {
  id: number
  first_ms: number
  newest_ms: number
  low_slot: number | null
  high_slot: number
  sol_usd: number | null
}
type Found = DayValues & { isWhole: boolean }

const findHistory = query<History>('chart/find_history')
const findRate = query<{ sol_usd: number | null }>('chart/find_rate')
const listDays = query<{ day_ms: number; value_sol: number }>('chart/list_days')
const choosePlan = query('chart/choose_plan')
const listQuantities = query<HeldQuantity>('chart/list_quantities')
const listCloses = query<TokenClose>('chart/list_closes')

/**
 * Values in SOL of the days of a span (`fromMs`, `toMs`: Unix ms with which the first and the last day
 * begin; -Infinity: from the first trade on), today at most. Rejects with GATEWAY_TIMEOUT when closed days
 * could not be stored in time, UNAVAILABLE when jobs cannot be asked for.
 */
export async function readDayValues(
  { reader, signal }: Reading,
  wallet: string,
  wanted: DaySpan,
  { jobs, now }: ChartDeps,
): Promise<DayValues> {
  const toMs = Math.min(wanted.toMs, dayStartMs(now()))
  for (;;) {
    const found = await reader.run(signal, (db) =>
      inSnapshot(db, () => readDays(db, wallet, { fromMs: wanted.fromMs, toMs }, now())),
    )
    if (found.isWhole) return { days: found.days, solUsd: found.solUsd }
    if (jobs === undefined) throw new ApiError('UNAVAILABLE', 'this process asks for no jobs')
    await jobs.askAndWait('chart-backfill', { wallet }, signal)
  }
}

async function readDays(
  db: Queryable,
  wallet: string,
  wanted: DaySpan,
  nowMs: number,
): Promise<Found> {
  const [history] = await findHistory(db, [wallet])
  if (history === undefined) {
    const [rate] = await findRate(db)
    return { days: [], solUsd: rate?.sol_usd ?? null, isWhole: true }
  }
  const fromMs = Math.max(wanted.fromMs, dayStartMs(history.first_ms))
  const closedToMs = Math.min(wanted.toMs, lastClosedDay(history.newest_ms, nowMs))
  const stored = await listDays(db, [history.id, fromMs, closedToMs])
  const missing = missingSpan(
    { fromMs, toMs: closedToMs },
    stored.map(({ day_ms }) => day_ms),
  )
  if (missing !== undefined) return { days: [], solUsd: null, isWhole: false }
  const liveSpan = { fromMs: Math.max(fromMs, closedToMs + DAY_MS), toMs: wanted.toMs }
  const live = await computeDays(db, history, liveSpan)
  const days = [
    ...stored.map(({ day_ms, value_sol }) => ({
      dayMs: day_ms,
      valueSol: value_sol,
      isClosed: true,
    })),
    ...live.map((worth) => ({ ...worth, isClosed: false })),
  ]
  return { days, solUsd: history.sol_usd, isWhole: true }
}

/** As far as the ledger has read, as everything else that is served of a wallet. */
async function computeDays(db: Queryable, history: History, span: DaySpan): Promise<DayWorth[]> {
  if (span.fromMs > span.toMs) return []
  const { id, low_slot: lowSlot, high_slot: highSlot } = history
  const low = lowSlot ?? 0
  await choosePlan(db, [planFor(low, highSlot)])
  const held = await listQuantities(db, [id, low, highSlot, span.fromMs, span.toMs])
  const closes = await listCloses(db, wantedCloses(held, span))
  return dayWorths(held, closes, span)
}
