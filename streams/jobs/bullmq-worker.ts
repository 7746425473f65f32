/**
 * Workers on the queues of jobs. Redis holds no only copy: workers wait for it, and recreate the schedules after it was
 * flushed.
 */
import { Job, Queue, WaitingError, Worker } from 'bullmq'
import type { Log } from '../../domain/log.ts'
import { latestMs } from '../../domain/time/time.ts'
import type { Redis } from '../redis/connect.ts'
import type { JobQueueOptions } from './bullmq.ts'
import { jobOptions, keyPrefix, quiet } from './bullmq-options.ts'
import { isStopped } from './bullmq-replays.ts'
import { JOBS, JobLater, type JobName, type JobRun, loggedPayload } from './job.ts'
import { connectJobs } from './redis.ts'

type RunJob = (name: JobName, payload: unknown, signal: AbortSignal, run: JobRun) => Promise<void>

type JobWorkerOptions = Pick<JobQueueOptions, 'redisUrl' | 'prefix' | 'log'> & {
  /** The job names that this process runs. */
  names: readonly JobName[]
  run: RunJob
  /** Milliseconds after which another process resumes the job of a lost process. */
  lockMs?: number
  /** Milliseconds between two looks whether the schedules are still there. */
  scheduleCheckMs?: number
}

const LOCK_MS = 15_000
const SCHEDULE_CHECK_MS = 15_000
/** Processes that may be lost during a job before it fails for good: the job may be the cause. */
const LOSSES_MAX = 3
/** Milliseconds that `stop` lets jobs under way finish. */
const DRAIN_MS = 15_000

/** Runs jobs until it is stopped, even if Redis is unavailable at the start. */
export function workOnJobs(options: JobWorkerOptions): { stop(): Promise<void> } {
  const { redisUrl, log, names, run, lockMs = LOCK_MS } = options
  const client = connectJobs(redisUrl, log, {})
  const connection = { prefix: keyPrefix(options.prefix), connection: client }
  const cut = new AbortController()
  const ending = new AbortController()
  const workers = names.map((name) => {
    const work = async (job: Job, token?: string, signal: AbortSignal = cut.signal) => {
      const own = runOf(job, worker, ending.signal)
      try {
        await run(name, job.data, AbortSignal.any([signal, cut.signal]), own)
      } catch (error) {
        if (!(error instanceof JobLater)) throw error
        await job.moveToWait(token)
        throw new WaitingError(error.message)
      }
    }
    const worker: Worker = new Worker(name, work, {
      ...connection,
      concurrency: JOBS[name].concurrency,
      lockDuration: lockMs,
      stalledInterval: Math.ceil(lockMs / 2),
      maxStalledCount: LOSSES_MAX,
    })
    worker.on('failed', (job, error) => {
      const { attemptsMade: attempt, data = {} } = job ?? {}
      log.error({ job: name, payload: loggedPayload(data), attempt, err: error }, 'job failed')
    })
    worker.on('stalled', (id) => log.warn({ job: name, id }, 'restarting job that lost its worker'))
    return quiet(worker)
  })
  const schedules = keepSchedules(names, connection, client, options)
  return {
    async stop() {
      await schedules.stop()
      const isThere = client.status === 'ready'
      ending.abort()
      const bound = setTimeout(() => cut.abort(new Error('the jobs process ends')), DRAIN_MS)
      await Promise.allSettled(workers.map((worker) => worker.close(!isThere)))
      clearTimeout(bound)
      cut.abort(new Error('the jobs process ends'))
      client.disconnect()
    },
  }
}

function runOf(job: Job, worker: Worker, ending: AbortSignal): JobRun {
  return {
    ending,
    keep: (payload) => job.updateData(payload),
    async isStopped() {
      const known = await Job.fromId(worker, job.id ?? '')
      return known === undefined || isStopped(known)
    },
  }
}

/** Makes the schedules that Redis does not hold: at the start, after a flush, after a reconnection. */
function keepSchedules(
  names: readonly JobName[],
  connection: { prefix: string; connection: Redis },
  client: Redis,
  { log, scheduleCheckMs = SCHEDULE_CHECK_MS }: JobWorkerOptions,
) {
  const queues = names
    .filter((name) => JOBS[name].everyMs !== undefined)
    .map((name) => ({ name, queue: quiet(new Queue(name, connection)) }))
  let checking = Promise.resolve()
  const check = (): void => {
    if (client.status !== 'ready') return
    checking = checking.then(async () => {
      for (const { name, queue } of queues) await ensureSchedule(queue, name, log)
    })
    checking = checking.catch((error: unknown) =>
      log.warn({ err: error }, 'failed to check job schedules'),
    )
  }
  const timer = setInterval(check, scheduleCheckMs)
  client.on('ready', check)
  check()
  return {
    async stop() {
      clearInterval(timer)
      client.off('ready', check)
      if (client.status === 'ready') await checking
      await Promise.allSettled(queues.map(({ queue }) => queue.close()))
    },
  }
}

async function ensureSchedule(queue: Queue, name: JobName, log: Log): Promise<void> {
  const every = JOBS[name].everyMs
  if (every === undefined) return
  const found = await queue.getJobScheduler(name)
  const nextMs = found?.next ?? 0
  const nowMs = Date.now()
  const isFar = nextMs > latestMs(nowMs + every)
  if (found?.every === every && nextMs > nowMs - every && !isFar) return
  // Written by a clock that was ahead. An update would retain its time.
  if (isFar) await queue.removeJobScheduler(name)
  await queue.upsertJobScheduler(name, { every }, { name, data: {}, opts: jobOptions(name) })
  log.info({ job: name, every }, 'scheduled job')
}
