/**
 * Queues and job processes for a test: a separate Redis prefix, emptied when the test has ended. A job function of a
 * test replaces the product's; Redis and the queues are the real ones.
 */
import type { ExecutionContext } from 'ava'
import { Redis } from 'ioredis'
import { type JobQueue, openJobQueue } from '../../../streams/jobs/bullmq.ts'
import { type JobsOptions, type RunningJobs, startJobs } from '../../../workers/jobs/main.ts'
import { type Recording, recordingLog } from '../recording-log.ts'
import { testPrefix } from '../servers/database.ts'
import { testServers } from '../servers/servers.ts'

type Test = Pick<ExecutionContext, 'teardown'>

export type JobBench = {
  redisUrl: string
  prefix: string
  recording: Recording
  /** Closed with the test. Each is like that of another process; waits for Redis unless a bound is given. */
  queue(slowMs?: number): JobQueue
  /** Stopped with the test, if it was not before. */
  work(options: Pick<JobsOptions, 'databaseUrl'> & Partial<JobsOptions>): RunningJobs
  redis: Redis
}

export function openJobBench(t: Test, redisUrl = testServers().redisUrl): JobBench {
  const prefix = testPrefix()
  const recording = recordingLog()
  const { log } = recording
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null })
  redis.on('error', () => {})
  t.teardown(async () => {
    if (redis.status === 'ready') {
      const keys = await redis.keys(`${prefix}*`)
      if (keys.length > 0) await redis.del(keys)
    }
    redis.disconnect()
  })
  return {
    redisUrl,
    prefix,
    recording,
    redis,
    queue(slowMs = Number.POSITIVE_INFINITY) {
      // A client that waits for a slow Redis waits for a stopped one, too.
      const answer = Number.isFinite(slowMs) ? {} : { answerMs: 60_000 }
      const opened = openJobQueue({ redisUrl, prefix, log, slowMs, ...answer })
      t.teardown(() => opened.close())
      return opened
    },
    work(options) {
      const running = startJobs({ redisUrl, prefix, log, scheduleCheckMs: 200, ...options })
      let stopping: Promise<void> | undefined
      const stop = (): Promise<void> => {
        stopping ??= running.stop()
        return stopping
      }
      t.teardown(stop)
      return { ...running, stop }
    },
  }
}
