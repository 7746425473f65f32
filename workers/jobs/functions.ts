/** The list of jobs: adding one is a file next to this and a line here. */

import { dropAged } from '../../history/dropping/drop-aged.ts'
import { sealAged } from '../../history/operating/runs.ts'
import { followForAWhile } from '../sandwiches/watch.ts'
import { backfillChart } from './chart-backfill.ts'
import type { JobFunctions } from './job-function.ts'
import { makeLeaderboards } from './leaderboard.ts'
import { reconcile } from './reconcile.ts'
import { replayAgain } from './replay.ts'
import { deleteExpired } from './retention.ts'
import { makeScreen } from './screener.ts'
import { nameTokens } from './token-names.ts'
import { walletTags } from './wallet-tags.ts'

export const JOB_FUNCTIONS: JobFunctions = {
  'chart-backfill': backfillChart,
  'wallet-tags': walletTags,
  reconcile,
  leaderboard: makeLeaderboards,
  screener: makeScreen,
  retention: deleteExpired,
  replay: replayAgain,
  'token-names': nameTokens,
  async 'seal-history'(_payload, { db, log, sealAfterHours, ...deps }, signal) {
    await sealAged(db, log, sealAfterHours, signal)
    await dropAged(db, log, { days: deps.historyDays, exportedUntil: deps.exportedUntil }, signal)
  },
  async sandwiches(_payload, { db }, signal) {
    await followForAWhile(db, signal)
  },
}
