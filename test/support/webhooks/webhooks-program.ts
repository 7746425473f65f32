/**
 * The sender of webhooks as a separate process, for tests that kill it:
 *   node webhooks-program.ts '{"databaseUrl": ..., "natsUrl": ..., "redisUrl": ..., "prefix": ..., "laneCount": 4, ...}'
 * Prints its log as lines, and "ready" once it works.
 */
import { writeSync } from 'node:fs'
import { startWebhooks } from '../../../api/webhooks/sending/running.ts'
import { startJobs } from '../../../workers/jobs/main.ts'
import { recordingLog } from '../recording-log.ts'

const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}
const { lockMs, ...options } = JSON.parse(process.argv[2] ?? '{}')
const { log } = recordingLog(say)
const webhooks = startWebhooks({ ...options, log })
const { databaseUrl, redisUrl, prefix } = options
const functions = { webhook: webhooks.deliver }
startJobs({ databaseUrl, redisUrl, prefix, lockMs, functions, log })
say('ready')
