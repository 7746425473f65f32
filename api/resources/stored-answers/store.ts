/**
 * Questions that jobs answer, in the tables: their requests, states and answers, for a day. Each kind of question has a table of its
 * own, with the same columns of state.
 *
 * Law: the tables are the truth. Redis holds requests to compute only, so that a flushed Redis delays an answer.
 * Decision: docs/decisions/0107-back-tests-of-jobs-are-stored.md
 */
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { variants } from '../../../sql/query.ts'
import type { JobRequests } from '../../../streams/jobs/job.ts'
import { TIER_LIMITS } from '../../gateway/limits/tier.ts'
import type { Caller } from '../../routing/caller.ts'
import { ApiError } from '../../routing/error.ts'

const KINDS = ['backtest', 'ranking'] as const
export type Kind = (typeof KINDS)[number]

/** Columns of a question in all tables. */
export type StoredRow = {
  id: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  /** Changes of the row. */
  version: number
  /** Why it failed. */
  failure: string | null
  /** JSON, of one that is done. */
  answer: string | null
  /** Milliseconds since its run began, and since its row changed. */
  running_ms: number | null
  quiet_ms: number
}
type IdRow = { id: string }

/** `identity`: equal for questions that have one answer; `total`: of what the progress counts. */
type NewQuestion = {
  readonly lineage: string
  readonly identity: string
  readonly request: object
  readonly total: number
}

const insertQuestion = variants<IdRow, Kind>('stored-answers/insert_question', KINDS)
const findEqual = variants<IdRow, Kind>('stored-answers/find_equal', KINDS)
const deleteRow = variants<IdRow, Kind>('stored-answers/delete_answer', KINDS)
const startRow = variants<{ request: string; starts: number }, Kind>(
  'stored-answers/start_answer',
  KINDS,
)
const failRow = variants('stored-answers/fail_answer', KINDS)
const deleteOld = variants('stored-answers/delete_old_answers', KINDS)
const listQuiet = variants<IdRow, Kind>('stored-answers/list_quiet', KINDS)

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
/** Another request may take the job slot that was free. */
const TRIES_MAX = 3
/** Milliseconds without a change of a question after which its job is requested again. */
const QUIET_MS = 10_000

/** No other text is an id. */
export const isId = (text: string): boolean => UUID.test(text)

/** The id of a question that waits; undefined: so many of the lineage have no answer yet. */
export async function storeQuestion(
  kind: Kind,
  db: Queryable,
  { lineage, identity, request, total }: NewQuestion,
  atOnce: number,
): Promise<string | undefined> {
  await deleteOld[kind](db)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const given = [randomUUID(), lineage, identity, JSON.stringify(request), total, atOnce]
    const [row] = await insertQuestion[kind](db, given)
    if (row !== undefined) return row.id
  }
  return undefined
}

/** The id of the newest question of the lineage that has, or will have, the same answer. */
export async function findEqualQuestion(
  kind: Kind,
  db: Queryable,
  { lineage, identity }: Pick<NewQuestion, 'lineage' | 'identity'>,
): Promise<string | undefined> {
  return (await findEqual[kind](db, [lineage, identity]))[0]?.id
}

/** `run` runs a statement on the primary; without `jobs` none can be requested. */
export type Requesting = {
  readonly run: <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>
  readonly caller: Caller
  readonly jobs: Pick<JobRequests, 'request'> | undefined
}
/** `noun` and `path` are for errors. */
type NamedKind = { readonly kind: Kind; readonly noun: string; readonly path: string }

/** Stores a question and requests its job. Returns its id. Rejects with ApiError where the tier allows no further one. */
export async function requestQuestion(
  { kind, noun, path }: NamedKind,
  question: NewQuestion,
  { run, caller, jobs }: Requesting & { readonly jobs: Pick<JobRequests, 'request'> },
): Promise<string> {
  const { tier } = caller
  const atOnce = TIER_LIMITS[tier].backtests
  const id = await run((db) => storeQuestion(kind, db, question, atOnce))
  if (id === undefined) {
    throw new ApiError(
      'RATE_LIMIT_EXCEEDED',
      `tier "${tier}" allows ${atOnce} ${noun} jobs at once: wait for one, or cancel it by DELETE ${path}`,
    )
  }
  await requestAnswer(kind, id, jobs)
  return id
}

/** Redis away or slow: the next read of the question requests it again, and so does the schedule. */
async function requestAnswer(
  kind: Kind,
  id: string,
  jobs: Pick<JobRequests, 'request'> | undefined,
): Promise<void> {
  const requested =
    kind === 'backtest'
      ? jobs?.request('backtest', { backtest: id })
      : jobs?.request('past-ranking', { ranking: id })
  await requested?.catch(() => {})
}

/** Requests the job of a question again that nothing has changed for a while. */
export async function hurry(
  kind: Kind,
  { id, quiet_ms: quietMs }: StoredRow,
  jobs: Pick<JobRequests, 'request'> | undefined,
): Promise<void> {
  if (quietMs > QUIET_MS) await requestAnswer(kind, id, jobs)
}

/** Whether there was one. */
export async function deleteQuestion(
  kind: Kind,
  db: Queryable,
  id: string,
  lineage: string,
): Promise<boolean> {
  return isId(id) && (await deleteRow[kind](db, [id, lineage])).length > 0
}

/** Begins a run; undefined: the question has an answer or was deleted. */
export async function startAnswer(
  kind: Kind,
  db: Queryable,
  id: string,
): Promise<{ request: unknown; starts: number } | undefined> {
  const [row] = await startRow[kind](db, [id])
  return row && { request: JSON.parse(row.request), starts: row.starts }
}

export async function failAnswer(
  kind: Kind,
  db: Queryable,
  id: string,
  reason: string,
): Promise<void> {
  await failRow[kind](db, [id, reason])
}

/** Deletes old questions. Returns the ids of those that no process computes. */
export async function sweep(kind: Kind, db: Queryable): Promise<string[]> {
  await deleteOld[kind](db)
  return (await listQuiet[kind](db)).map(({ id }) => id)
}

export const hasEnded = (status: StoredRow['status']): boolean =>
  status === 'done' || status === 'failed'

/** Errors of a question that is not there, and of one without an answer. */
export const unknownQuestion = (noun: string, id: string): ApiError =>
  new ApiError('NOT_FOUND', `${noun} "${id}" not found: answers are stored for a day`)
export const failedQuestion = (noun: string, { failure }: StoredRow): ApiError =>
  new ApiError('INTERNAL', `the ${noun} failed: ${failure}`)

/** Estimated milliseconds to the end; null at first. */
export function etaMs(runningMs: number | null, done: number, total: number): number | null {
  return runningMs === null || done === 0 ? null : Math.round((runningMs * (total - done)) / done)
}
