/**
 * A jobs process of its own, for tests that kill it:
 *   node jobs-program.ts '{"databaseUrl": ..., "redisUrl": ..., "prefix": ..., "lockMs": 1000}'
 * Prints its log as lines, and "ready" once it works.
 */
import { writeSync } from 'node:fs'
import { computeBacktest } from '../../../api/resources/backtest/jobs/compute.ts'
import { computeRankings } from '../../../api/resources/leaderboard/past/compute.ts'
import { JOB_FUNCTIONS } from '../../../workers/jobs/functions.ts'
import { startJobs } from '../../../workers/jobs/main.ts'
import { recordingLog } from '../recording-log.ts'

const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}
const functions = {
  ...JOB_FUNCTIONS,
  backtest: computeBacktest,
  'past-ranking': computeRankings,
}
startJobs({ functions, ...JSON.parse(process.argv[2] ?? '{}'), log: recordingLog(say).log })
say('ready')
