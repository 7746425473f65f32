/**
 * Replays among the jobs: starts, lists and stops them for an operator.
 *
 * Law: a replay's position is stored in its payload, which only its worker writes; the request to stop is stored in its
 * progress, which its worker never writes. So neither write overwrites the other.
 */
import type { Job, Queue } from 'bullmq'
import { jobOptions } from './bullmq-options.ts'
import type { ReplayJob, ReplayJobs, ReplayPayload } from './job.ts'

/** Runs in the time that one may wait for Redis, or rejects with JobsUnavailable. */
type InTime = <Answer>(work: () => Promise<Answer>) => Promise<Answer>

const LISTED_MAX = 200
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const STOP = { stop: true }
/** In the order of a job's life. */
const STATES = [
  ['waiting', 'waiting'],
  ['delayed', 'paused'],
  ['active', 'running'],
  ['failed', 'failed'],
  ['completed', 'done'],
] as const

export function isStopped({ progress }: Job): boolean {
  return typeof progress === 'object' && 'stop' in progress
}

export function replaysOf(queueOf: () => Queue, inTime: InTime): ReplayJobs {
  return {
    start: (payload) =>
      inTime(async () => {
        const jobId = payload.record.run
        await queueOf().add('replay', payload, { ...jobOptions('replay'), jobId })
      }),
    list: () =>
      inTime(async () => {
        const queue = queueOf()
        const found = await Promise.all(
          STATES.map(async ([state, shown]) => {
            const jobs: (Job | undefined)[] = await queue.getJobs(state, 0, LISTED_MAX - 1)
            // Skips a job that was removed meanwhile, and one that a user of the queue dashboard added without a
            // record.
            return jobs.flatMap((job) => (job?.data.record === undefined ? [] : listed(job, shown)))
          }),
        )
        // A job that changed state meanwhile may be listed twice: its later state counts.
        const byId = new Map(found.flat().map((job) => [job.record.run, job]))
        return [...byId.values()].sort((a, b) => b.asked_ms - a.asked_ms).slice(0, LISTED_MAX)
      }),
    stop: (id) =>
      inTime(async () => {
        // Other keys of the queue are no jobs.
        const job: Job | undefined = UUID.test(id) ? await queueOf().getJob(id) : undefined
        if (job === undefined) return false
        // One that runs is locked.
        const isGone = await job.remove().then(
          () => true,
          () => false,
        )
        if (!isGone) await job.updateProgress(STOP)
        return true
      }),
  }
}

function listed(job: Job, state: ReplayJob['state']): ReplayJob {
  const payload = job.data as ReplayPayload
  const isLeft = isStopped(job) && payload.record.position.phase !== 'done'
  return {
    ...payload,
    state: isLeft && state === 'done' ? 'stopped' : state,
    failure: job.failedReason ?? null,
    asked_ms: job.timestamp,
    ended_ms: state === 'done' || state === 'failed' ? (job.finishedOn ?? null) : null,
  }
}
