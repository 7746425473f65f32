/**
 * Fills the closed days of a wallet's chart that are not stored yet, from its first trade on. One snapshot
 * of the tables; a stored day is never changed, even by late swaps, so that running twice, or in two processes at once,
 * ends in the same rows. Where swaps of a stored day came or went since, what it is by the present ones is stored alongside it, for
 * answers as of a slot.
 *
 * Decisions: docs/decisions/0024-closed-chart-days-are-immutable.md, docs/decisions/0131-closed-days-count-their-changes.md
 */

import { INT64_MAX } from '../../domain/amount.ts'
import { dayStartMs } from '../../domain/time/utc-day.ts'
import {
  type DaySpan,
  type DayWorth,
  dayWorths,
  GENERIC_PLAN,
  type HeldQuantity,
  lastClosedDay,
  missingSpan,
  type TokenClose,
  type TokenMint,
  wantedCloses,
} from '../../domain/wallet/portfolio-value.ts'
import { BeforeHistory } from '../../history/sealed/find/stored.ts'
import { listQuantities } from '../../history/swaps/wallets.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { inSnapshot } from '../../sql/snapshot.ts'
import type { JobPayloads } from '../../streams/jobs/job.ts'

type History = {
  id: number
  first_ms: number
  newest_ms: number
}

const findHistory = query<History>('chart/find_history')
const listCurrentDays = query<{ day_ms: number }>('chart/list_current_days')
const choosePlan = query('chart/choose_plan')
const listCloses = query<TokenClose>('chart/list_closes')
const listMints = query<TokenMint>('wallets/list_mints')
const countChanges = query<{ change_count: number | null }>('chart/count_changes')
const insertDays = query('chart/insert_days')

export async function backfillChart(
  { wallet }: JobPayloads['chart-backfill'],
  { db }: { db: Db },
): Promise<void> {
  const connection = await db.connect()
  try {
    const missing = await inSnapshot(connection, () => missingDays(connection, wallet))
    // After the snapshot's transaction: inside it, a day that another process stored meanwhile would be an error.
    if (missing !== undefined) await insertDays(connection, missing)
    connection.release()
  } catch (error) {
    // In any state of its transaction: the next job gets another connection.
    connection.release(true)
    // No attempt can store days that need dropped swaps. A request for them meets the same error, and reports it.
    if (!(error instanceof BeforeHistory)) throw error
  }
}

/** No wallet's: ids begin with 1. */
const NO_WALLET = 0

/**
 * Reads the days of an empty set of wallets, so that a pooled connection has loaded all chunks and planned over them
 * before a job needs it: over a year of chunks that takes longer than to fill a chart.
 */
export async function prepareBackfills(db: Db): Promise<void> {
  const connection = await db.connect()
  try {
    await inSnapshot(connection, async () => {
      await choosePlan(connection, [GENERIC_PLAN])
      await heldOf(connection, NO_WALLET, { fromMs: 0, toMs: 0 })
      await listCloses(connection, [[], [], []])
    })
    connection.release()
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/** Returns parameters of insert_days; undefined when no day is to be stored. */
async function missingDays(
  connection: Connection,
  wallet: string,
): Promise<
  [walletId: number, dayMs: number[], valueSol: number[], counts: (number | null)[]] | undefined
> {
  const [history] = await findHistory(connection, [wallet])
  if (history === undefined) return undefined
  const fromMs = dayStartMs(history.first_ms)
  const toMs = lastClosedDay(history.newest_ms, Date.now())
  const current = await listCurrentDays(connection, [history.id, fromMs, toMs])
  const span = missingSpan(
    { fromMs, toMs },
    current.map(({ day_ms }) => day_ms),
  )
  if (span === undefined) return undefined
  const { worths, counts } = await worthsOf(connection, history, span)
  return [
    history.id,
    worths.map(({ dayMs }) => dayMs),
    worths.map(({ valueSol }) => valueSol),
    counts.map(({ change_count }) => change_count),
  ]
}

/** Covers all slots: swaps that the ledger has yet to read belong to their day all the same. */
async function worthsOf(
  connection: Connection,
  { id }: History,
  span: DaySpan,
): Promise<{ worths: DayWorth[]; counts: { change_count: number | null }[] }> {
  await choosePlan(connection, [GENERIC_PLAN])
  const held = await heldOf(connection, id, span)
  const wanted = wantedCloses(held, span)
  const closes = await listCloses(connection, wanted)
  const mints = await listMints(connection, [wanted[0]])
  const counts = await countChanges(connection, [span.fromMs, span.toMs, wanted[0]])
  return { worths: dayWorths(held, closes, mints, span), counts }
}

/** Holdings of a wallet by all of its swaps. */
function heldOf(
  connection: Connection,
  walletId: number,
  { fromMs, toMs }: Pick<DaySpan, 'fromMs' | 'toMs'>,
): Promise<HeldQuantity[]> {
  const all = { walletId, low: 0, high: INT64_MAX, tokenIds: null }
  return listQuantities(connection, { ...all, fromMs, toMs })
}
