/** The job `backtest`: computes back-tests and stores their answers. */
import { inTransaction, onConnection } from '../../../../sql/db.ts'
import type { JobRun } from '../../../../streams/jobs/job.ts'
import { CoverageGaps } from '../../coverage/gaps.ts'
import { type ComputeDeps, computeAnswers } from '../../stored-answers/compute.ts'
import { findCopies } from '../copy.ts'
import { JOB_LIMITS, QuestionTooLarge } from '../limits.ts'
import type { ChosenRequest } from '../schema.ts'
import { finishJob, noteProgress } from './store.ts'

/** Without an id it deletes old ones, and computes those that no process computes. */
export function computeBacktest(
  { backtest }: { backtest?: string },
  deps: ComputeDeps,
  signal: AbortSignal,
  { ending }: Pick<JobRun, 'ending'>,
): Promise<void> {
  const { db } = deps
  return computeAnswers('backtest', backtest, deps, { signal, ending }, () => {
    const progress: { done: number; slot: number | null } = { done: 0, slot: null }
    return {
      isRefusal: (error) => error instanceof QuestionTooLarge,
      note: (id) => noteProgress(db, id, progress),
      async answer(id, stored, until) {
        const request = stored as ChosenRequest
        const found = await findCopies(request, {
          near: (work) => onConnection(db, work),
          gaps: new CoverageGaps(),
          limits: JOB_LIMITS,
          signal: until,
          onProgress: (done, slot) => Object.assign(progress, { done, slot }),
        })
        await inTransaction(db, (connection) => finishJob(connection, id, found, request.trades))
      },
    }
  })
}
