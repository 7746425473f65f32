/** The list of jobs: adding one is a file next to this and a line here. */

import { followSandwiches } from '../sandwiches/follow.ts'
import { backfillChart } from './chart-backfill.ts'
import type { JobFunctions } from './job-function.ts'
import { makeLeaderboards } from './leaderboard.ts'
import { reconcile } from './reconcile.ts'
import { replayAgain } from './replay.ts'
import { deleteExpired } from './retention.ts'
import { makeScreen } from './screener.ts'
import { nameTokens } from './token-names.ts'
import { walletTags } from './wallet-tags.ts'

/** A run that reads history ends after this time, and the next one continues: a process that stops waits for its jobs. */
const FOLLOW_MS = 5_000

export const JOB_FUNCTIONS: JobFunctions = {
  'chart-backfill': backfillChart,
  'wallet-tags': walletTags,
  reconcile,
  leaderboard: makeLeaderboards,
  screener: makeScreen,
  retention: deleteExpired,
  replay: replayAgain,
  'token-names': nameTokens,
  sandwiches: (_payload, { db }, signal) =>
    followSandwiches(db, AbortSignal.any([signal, AbortSignal.timeout(FOLLOW_MS)])),
}
