/** The job `past-ranking`: computes leaderboards as of a slot and stores their answers. */
import { onConnection } from '../../../../sql/db.ts'
import { inSnapshot } from '../../../../sql/snapshot.ts'
import type { JobRun } from '../../../../streams/jobs/job.ts'
import type { AsOfAnswer } from '../../as-of/schema.ts'
import { type ComputeDeps, computeAnswers } from '../../stored-answers/compute.ts'
import { presentFigures } from '../present.ts'
import { readPastRanks } from './ranks.ts'
import type { PastLeaderboard } from './schema.ts'
import { finishRanking, noteRanking } from './store.ts'

/** A question as it is stored: `as_of` is of the moment of the request, so all up to its cursor is in the answer. */
export type StoredRanking = Omit<PastLeaderboard, 'id' | 'leaderboard'> & { as_of: AsOfAnswer }

/** Without an id it deletes old ones, and computes those that no process computes. */
export function computeRankings(
  { ranking }: { ranking?: string },
  deps: ComputeDeps,
  signal: AbortSignal,
  { ending }: Pick<JobRun, 'ending'>,
): Promise<void> {
  const { db } = deps
  return computeAnswers('ranking', ranking, deps, { signal, ending }, () => {
    const progress = { wallets: 0, done: 0 }
    return {
      note: (id) => noteRanking(db, id, progress),
      async answer(id, stored, until) {
        const question = stored as StoredRanking
        const { slot, timestamp } = question.as_of
        const { period, pnl_mode: mode, exclude_arbitrage: isHonest, limit } = question
        const ranks = await onConnection(db, (connection) =>
          timestamp === null
            ? Promise.resolve([])
            : inSnapshot(connection, () =>
                readPastRanks(
                  connection,
                  { slot: Number(slot), latestMs: Number(timestamp) },
                  { period, mode, isHonest, limit },
                  {
                    signal: until,
                    onCounted: async ({ wallets }) => void Object.assign(progress, { wallets }),
                    onProgress: (done) => Object.assign(progress, { done }),
                  },
                ),
              ),
        )
        await finishRanking(db, { id, ...question, leaderboard: ranks.map(presentFigures) })
      },
    }
  })
}
