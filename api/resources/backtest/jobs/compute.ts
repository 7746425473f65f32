/**
 * The job `backtest`: computes a back-test and stores its answer. It may run twice, and leaves the same answer. Where its process is lost
 * it begins again in another; where it was deleted meanwhile it ends.
 */
import type { Log } from '../../../../domain/log.ts'
import { type Db, inTransaction, onConnection } from '../../../../sql/db.ts'
import { JobLater, type JobRun } from '../../../../streams/jobs/job.ts'
import { ApiError } from '../../../routing/error.ts'
import { CoverageGaps } from '../../coverage/gaps.ts'
import { findCopies } from '../copy.ts'
import { JOB_LIMITS, QuestionTooLarge } from '../limits.ts'
import {
  deleteOldJobs,
  failJob,
  finishJob,
  listQuietJobs,
  noteProgress,
  startJob,
} from './store.ts'

type ComputeDeps = { db: Db; log: Log }

/** Milliseconds between two notes of the progress. */
const NOTE_MS = 1_000
/** Runs of a back-test: processes may end during some. */
const STARTS_MAX = 10
const FAILED = 'its runs failed, see the log of the job worker'

/** Without an id it deletes old ones, and computes those that no process computes. */
export async function computeBacktest(
  { backtest }: { backtest?: string },
  deps: ComputeDeps,
  signal: AbortSignal,
  run: Pick<JobRun, 'ending'>,
): Promise<void> {
  if (backtest !== undefined) return await compute(backtest, deps, signal, run)
  await deleteOldJobs(deps.db)
  for (const { id } of await listQuietJobs(deps.db)) await compute(id, deps, signal, run)
}

async function compute(
  id: string,
  { db, log }: ComputeDeps,
  signal: AbortSignal,
  { ending }: Pick<JobRun, 'ending'>,
): Promise<void> {
  const started = await startJob(db, id)
  if (started === undefined) return
  const { request, starts } = started
  if (starts > STARTS_MAX) return await failJob(db, id, FAILED)
  const deleted = new AbortController()
  const progress: { done: number; slot: number | null } = { done: 0, slot: null }
  const noting = setInterval(() => {
    noteProgress(db, id, progress).then(
      (isWanted) => isWanted || deleted.abort(),
      (err: unknown) => log.warn({ err, backtest: id }, 'failed to note progress of back-test'),
    )
  }, NOTE_MS)
  try {
    const found = await findCopies(request, {
      near: (work) => onConnection(db, work),
      gaps: new CoverageGaps(),
      limits: JOB_LIMITS,
      signal: AbortSignal.any([signal, ending, deleted.signal]),
      onProgress: (done, slot) => Object.assign(progress, { done, slot }),
    })
    await inTransaction(db, (connection) => finishJob(connection, id, found, request.trades))
  } catch (error) {
    if (deleted.signal.aborted) return
    if (ending.aborted) throw new JobLater('the process of the back-test ends')
    if (!(error instanceof ApiError || error instanceof QuestionTooLarge)) throw error
    await failJob(db, id, error.message)
  } finally {
    clearInterval(noting)
  }
}
