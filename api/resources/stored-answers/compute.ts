/**
 * Runs of the jobs that answer stored questions. A run may happen twice, and leaves the same answer. Where its process is lost another
 * one begins again; where the question was deleted meanwhile the run ends.
 */
import type { Log } from '../../../domain/log.ts'
import { BeforeHistory } from '../../../history/sealed/find/stored.ts'
import type { Db } from '../../../sql/db.ts'
import { JobLater, type JobRun } from '../../../streams/jobs/job.ts'
import { ApiError } from '../../routing/error.ts'
import { failAnswer, type Kind, startAnswer, sweep } from './store.ts'

export type ComputeDeps = { db: Db; log: Log }

/** `note`: notes the progress, and resolves to whether the answer is still wanted. */
type Computation = {
  /** Whether an error fails the question, rather than the run. */
  readonly isRefusal?: (error: unknown) => error is Error
  readonly answer: (id: string, request: unknown, signal: AbortSignal) => Promise<void>
  readonly note: (id: string) => Promise<boolean>
}

/** Milliseconds between two notes of the progress. */
const NOTE_MS = 1_000
/** Runs of a question: processes may end during some. */
const STARTS_MAX = 10
const FAILED = 'its runs failed, see the log of the job worker'

/** Answers one question; without an id it deletes old ones, and answers those that no process computes. */
export async function computeAnswers(
  kind: Kind,
  id: string | undefined,
  deps: ComputeDeps,
  signals: { readonly signal: AbortSignal } & Pick<JobRun, 'ending'>,
  computationOf: () => Computation,
): Promise<void> {
  const ids = id === undefined ? await sweep(kind, deps.db) : [id]
  for (const each of ids) await compute(kind, each, deps, signals, computationOf())
}

async function compute(
  kind: Kind,
  id: string,
  { db, log }: ComputeDeps,
  { signal, ending }: { readonly signal: AbortSignal } & Pick<JobRun, 'ending'>,
  { isRefusal, answer, note }: Computation,
): Promise<void> {
  const started = await startAnswer(kind, db, id)
  if (started === undefined) return
  const { request, starts } = started
  if (starts > STARTS_MAX) return await failAnswer(kind, db, id, FAILED)
  const deleted = new AbortController()
  const noting = setInterval(() => {
    note(id).then(
      (isWanted) => isWanted || deleted.abort(),
      (err: unknown) => log.warn({ err, kind, id }, 'failed to note progress'),
    )
  }, NOTE_MS)
  try {
    await answer(id, request, AbortSignal.any([signal, ending, deleted.signal]))
  } catch (error) {
    if (deleted.signal.aborted) return
    if (ending.aborted) throw new JobLater(`the process that computes the ${kind} ends`)
    // A worker that lags fails the run only: a later one may find what it has applied.
    const isFinal = error instanceof ApiError && error.code !== 'UNAVAILABLE'
    const isRefused = error instanceof BeforeHistory || isRefusal?.(error) === true
    if (!(isFinal || isRefused)) throw error
    await failAnswer(kind, db, id, error.message)
  } finally {
    clearInterval(noting)
  }
}
