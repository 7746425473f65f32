/**
 * Back-tests in the tables: the requests, their progress and their answers, for a day.
 *
 * Law: the tables are the truth. Redis holds requests to compute only, so that a flushed Redis delays a back-test.
 */
import { randomUUID } from 'node:crypto'
import { parseExact } from '../../../../domain/text/exact-json.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { query } from '../../../../sql/query.ts'
import { writerOf } from '../../../routing/json.ts'
import type { CopiesFound } from '../copy.ts'
import { TRADES_AT_ONCE, writeTrades } from '../result-hash.ts'
import { type CopyAnswer, type CopyRequest, type CopyTradeAnswer, copyAnswer } from '../schema.ts'
import type { CopyJobAnswer } from './schema.ts'

export type JobRow = {
  id: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  orders: number
  orders_done: number
  slot: number | null
  /** Changes of the row. */
  version: number
  /** Why it failed. */
  failure: string | null
  /** JSON without trades, of a back-test that is done. */
  answer: string | null
  trades: number
  /** Milliseconds since its run began, and since its row changed. */
  running_ms: number | null
  quiet_ms: number
}
type IdRow = { id: string }

const insertJob = query<IdRow>('backtest/insert_job')
const findRow = query<JobRow>('backtest/find_job')
const findEqual = query<IdRow>('backtest/find_equal_job')
const listTrades = query<{ first: number; body: string }>('backtest/list_job_trades')
const deleteRow = query<IdRow>('backtest/delete_job')
const startRow = query<{ request: string; starts: number }>('backtest/start_job')
const noteRow = query<IdRow>('backtest/note_job_progress')
const insertTrades = query('backtest/insert_job_trades')
const finishRow = query<IdRow>('backtest/finish_job')
const failRow = query('backtest/fail_job')
export const deleteOldJobs = query('backtest/delete_old_jobs')
export const listQuietJobs = query<IdRow>('backtest/list_quiet_jobs')

const writeAnswer = writerOf(copyAnswer)
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
/** Another request may take the job slot that was free. */
const TRIES_MAX = 3

type NewJob = {
  readonly lineage: string
  readonly identity: string
  readonly request: CopyRequest
  readonly orders: number
}

/** The id of a back-test that waits; undefined: so many of the lineage have not ended. */
export async function storeJob(
  db: Queryable,
  { lineage, identity, request, orders }: NewJob,
  atOnce: number,
): Promise<string | undefined> {
  await deleteOldJobs(db)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const given = [randomUUID(), lineage, identity, JSON.stringify(request), orders, atOnce]
    const [row] = await insertJob(db, given)
    if (row !== undefined) return row.id
  }
  return undefined
}

/** Undefined: there is none of this id and lineage that is younger than a day. */
export async function findJob(
  db: Queryable,
  id: string,
  lineage: string,
): Promise<JobRow | undefined> {
  return UUID.test(id) ? (await findRow(db, [id, lineage]))[0] : undefined
}

/** The newest of the lineage that answers, or will answer, the same. */
export async function findEqualJob(
  db: Queryable,
  { lineage, identity }: Pick<NewJob, 'lineage' | 'identity'>,
): Promise<JobRow | undefined> {
  const [row] = await findEqual(db, [lineage, identity])
  return row && (await findJob(db, row.id, lineage))
}

/** Whether there was one. */
export async function deleteJob(db: Queryable, id: string, lineage: string): Promise<boolean> {
  return UUID.test(id) && (await deleteRow(db, [id, lineage])).length > 0
}

/** Begins a run; undefined: the back-test has ended or was deleted. */
export async function startJob(
  db: Queryable,
  id: string,
): Promise<{ request: CopyRequest; starts: number } | undefined> {
  const [row] = await startRow(db, [id])
  return row && { request: JSON.parse(row.request) as CopyRequest, starts: row.starts }
}

/** Whether the run is still wanted. */
export async function noteProgress(
  db: Queryable,
  id: string,
  { done, slot }: { done: number; slot: number | null },
): Promise<boolean> {
  return (await noteRow(db, [id, done, slot])).length > 0
}

/** Stores an answer, in a transaction of the caller. Whether it was still wanted. */
export async function finishJob(
  db: Queryable,
  id: string,
  found: CopiesFound,
  hasTrades: boolean,
): Promise<boolean> {
  const count = hasTrades ? found.count : 0
  const answer = { ...found.findings, ...{ id, trades: [], next_cursor: null } }
  const text = writeAnswer({ ...answer, result_hash: found.hash })
  if ((await finishRow(db, [id, text, count])).length === 0) return false
  for (let first = 0; first < count; first += TRADES_AT_ONCE) {
    const list = found.list(first, Math.min(count, first + TRADES_AT_ONCE))
    await insertTrades(db, [id, first, writeTrades(list)])
  }
  return true
}

export async function failJob(db: Queryable, id: string, reason: string): Promise<void> {
  await failRow(db, [id, reason])
}

/** The answer of a back-test that is done, with its trades from one index to before another. */
export async function readAnswer(
  db: Queryable,
  { id, answer }: JobRow,
  first: number,
  end: number,
): Promise<CopyAnswer> {
  const from = first - (first % TRADES_AT_ONCE)
  const rows = await listTrades(db, [id, from, end - 1])
  const trades = rows.flatMap(({ body }) => parseExact(body) as CopyTradeAnswer[])
  return { ...storedAnswer(answer), trades: trades.slice(first - from, end - from) }
}

const storedAnswer = (text: string | null): CopyAnswer => parseExact(text ?? '{}') as CopyAnswer

/** The state of a back-test that has not ended. */
export function presentJob(row: JobRow): CopyJobAnswer {
  const { id, status, orders, orders_done, slot, running_ms: runningMs } = row
  const isEstimated = runningMs !== null && orders_done > 0
  return {
    ...{ id, orders, orders_done, slot },
    status: status === 'waiting' ? 'waiting' : 'running',
    eta_ms: isEstimated ? Math.round((runningMs * (orders - orders_done)) / orders_done) : null,
  }
}
