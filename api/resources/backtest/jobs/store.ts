/** Back-tests in the tables: their progress and their answers, with lists of trades. */
import { parseExact } from '../../../../domain/text/exact-json.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { query } from '../../../../sql/query.ts'
import { writerOf } from '../../../routing/json.ts'
import { etaMs, isId, type StoredRow } from '../../stored-answers/store.ts'
import type { CopiesFound } from '../copy.ts'
import { TRADES_AT_ONCE, writeTrades } from '../result-hash.ts'
import { type CopyAnswer, type CopyTradeAnswer, copyAnswer } from '../schema.ts'
import type { CopyJobAnswer } from './schema.ts'

/** `answer`: without trades, of a back-test that is done. */
export type JobRow = StoredRow & {
  orders: number
  orders_done: number
  slot: number | null
  trades: number
}
type IdRow = { id: string }

const findRow = query<JobRow>('backtest/find_job')
const listTrades = query<{ first: number; body: string }>('backtest/list_job_trades')
const noteRow = query<IdRow>('backtest/note_job_progress')
const insertTrades = query('backtest/insert_job_trades')
const finishRow = query<IdRow>('backtest/finish_job')

const writeAnswer = writerOf(copyAnswer)
/** Undefined: there is none of this id and lineage that is younger than a day. */
export async function findJob(
  db: Queryable,
  id: string,
  lineage: string,
): Promise<JobRow | undefined> {
  return isId(id) ? (await findRow(db, [id, lineage]))[0] : undefined
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
  return {
    ...{ id, orders, orders_done, slot },
    status: status === 'waiting' ? 'waiting' : 'running',
    eta_ms: etaMs(runningMs, orders_done, orders),
  }
}
