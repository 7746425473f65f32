/**
 * Queues of jobs in Redis, for requesters. One queue a job name; requesters and workers (bullmq-worker.ts) may run in
 * different processes and on different machines. Only files next to this one import bullmq.
 *
 * Law: no request hangs on Redis. While it is away enqueueing fails fast and waiting ends; workers wait for its return.
 * Redis holds no only copy: after a flush the schedules are recreated, and the next reader requests a lost job again.
 * Redis must run with `noeviction`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Job, Queue, QueueEvents } from 'bullmq'
import type { Log } from '../../domain/log.ts'
import { jobOptions, keyPrefix, quiet } from './bullmq-options.ts'
import { replaysOf } from './bullmq-replays.ts'
import {
  JOB_NAMES,
  JobFailed,
  type JobName,
  type JobPayloads,
  type JobRequests,
  JobsUnavailable,
  jobIdentity,
  loggedPayload,
  type QueueDepth,
  type ReplayJobs,
} from './job.ts'
import { answered, connectJobs, endedBy, lossOf } from './redis.ts'

export type JobQueueOptions = {
  redisUrl: string
  /** Separates installations on one Redis: `` or `name.`. */
  prefix: string
  log: Log
  /** Milliseconds of an enqueue beyond which Redis is too slow to wait for. */
  slowMs?: number
  /** Milliseconds in which Redis must answer a requester. */
  answerMs?: number
}

export type JobQueue = JobRequests & {
  /** How much waits, runs and failed, by job name. Rejects with JobsUnavailable. */
  depths(): Promise<QueueDepth[]>
  replays: ReplayJobs
  /** All queues as bullmq objects, for the dashboard. */
  queues(): Queue[]
  close(): Promise<void>
}

const ANSWER_MS = 2_000
/**
 * A job is half a dozen steps over Redis: where enqueueing alone takes longer than this, its end would hardly be
 * reported within a request's deadline.
 */
const SLOW_MS = 400
/** Milliseconds between two polls for the end of a job whose event was lost. */
const LOOK_AGAIN_MS = 1_000

/** Does not wait for Redis: an enqueue fails while it is away. */
export function openJobQueue(opening: JobQueueOptions): JobQueue {
  const { redisUrl, prefix, log, slowMs = SLOW_MS, answerMs = ANSWER_MS } = opening
  const client = connectJobs(redisUrl, log, {
    enableOfflineQueue: false,
    commandTimeout: answerMs,
  })
  const inTime = <Answer>(work: () => Promise<Answer>) => answered(client, answerMs, work)
  const blocking = connectJobs(redisUrl, log, { lazyConnect: true })
  const options = { prefix: keyPrefix(prefix) }
  const queueOf = lazily((name: JobName) => {
    return quiet(new Queue(name, { ...options, connection: client }))
  })
  const waitingRoomOf = lazily((name: JobName) => {
    // From the oldest stored event: jobs that end during the connect are reported nevertheless.
    const listening = { ...options, connection: blocking, lastEventId: '0' }
    return openWaitingRoom(quiet(new QueueEvents(name, listening)))
  })

  async function add<Name extends JobName>(name: Name, payload: JobPayloads[Name]): Promise<Job> {
    const identity = jobIdentity(name, payload, Date.now())
    return await inTime(async () => {
      const queue = queueOf(name)
      return await queue.add(name, payload, {
        ...jobOptions(name),
        deduplication: { id: identity },
      })
    })
  }

  return {
    async request(name, payload) {
      await add(name, payload)
    },
    async requestAndWait(name, payload, signal) {
      signal.throwIfAborted()
      const requestedAt = performance.now()
      const { id = '' } = await endedBy(signal, add(name, payload))
      const tookMs = performance.now() - requestedAt
      if (tookMs > slowMs) throw new JobsUnavailable(`Redis took ${Math.round(tookMs)} ms`)
      const waiting = waitingRoomOf(name).enter(id)
      const lost = lossOf(client)
      const look = () => inTime(() => outcomeOf(queueOf(name), id))
      try {
        const ended = Promise.race([lastOutcome(waiting.ended, look, signal), lost.rejection])
        const outcome = await endedBy(signal, ended)
        if (outcome !== 'done') throw new JobFailed(outcome.reason)
      } finally {
        waiting.leave()
        lost.forget()
      }
    },
    async depths() {
      return await inTime(() => Promise.all(JOB_NAMES.map((name) => depthOf(queueOf(name), name))))
    },
    replays: replaysOf(() => queueOf('replay'), inTime),
    queues: () => JOB_NAMES.map(queueOf),
    async close() {
      await Promise.allSettled(waitingRoomOf.made().map((room) => room.close()))
      await Promise.allSettled(queueOf.made().map((queue) => queue.close()))
      blocking.disconnect()
      client.disconnect()
    },
  }
}

function lazily<Made>(make: (name: JobName) => Made) {
  const made = new Map<JobName, Made>()
  const find = (name: JobName): Made => {
    const known = made.get(name)
    if (known !== undefined) return known
    const fresh = make(name)
    made.set(name, fresh)
    return fresh
  }
  return Object.assign(find, { made: () => [...made.values()] })
}

type Outcome = 'done' | { reason: string }

/** Waiters for jobs of one name; settled by the events that the queue writes. */
function openWaitingRoom(events: QueueEvents) {
  const waiting = new Map<string, Set<(outcome: Outcome) => void>>()
  const notify = (id: string, outcome: Outcome): void => {
    for (const settle of waiting.get(id) ?? []) settle(outcome)
  }
  events.on('completed', ({ jobId }) => notify(jobId, 'done'))
  events.on('failed', ({ jobId, failedReason }) => notify(jobId, { reason: failedReason }))
  return {
    enter(id: string) {
      const { promise: ended, resolve } = Promise.withResolvers<Outcome>()
      const others = waiting.get(id) ?? new Set()
      waiting.set(id, others.add(resolve))
      return {
        ended,
        leave(): void {
          others.delete(resolve)
          if (others.size === 0) waiting.delete(id)
        },
      }
    },
    close: () => events.close(),
  }
}

/** Settled by an event; polled as well, because events are lost with a connection. */
async function lastOutcome(
  reported: Promise<Outcome>,
  look: () => Promise<Outcome | 'under way'>,
  signal: AbortSignal,
): Promise<Outcome> {
  for (;;) {
    const outcome = await look()
    if (outcome !== 'under way') return outcome
    const later = pause(LOOK_AGAIN_MS, 'under way' as const, { signal })
    const latest = await Promise.race([reported, later])
    if (latest !== 'under way') return latest
  }
}

/** A missing job was completed, or lost with all of Redis: either way no worker runs it. */
async function outcomeOf(queue: Queue, id: string): Promise<Outcome | 'under way'> {
  const state = await queue.getJobState(id)
  if (state === 'completed' || state === 'unknown') return 'done'
  if (state !== 'failed') return 'under way'
  const job: Job | undefined = await queue.getJob(id)
  return { reason: job?.failedReason ?? 'its reason is gone' }
}

async function depthOf(queue: Queue, name: JobName): Promise<QueueDepth> {
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed')
  const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts
  const [newest]: Job[] = failed === 0 ? [] : await queue.getFailed(0, 0)
  const newest_failure = newest
    ? {
        reason: newest.failedReason,
        payload: JSON.stringify(loggedPayload(newest.data)),
        attempts: newest.attemptsMade,
        failed_ms: newest.finishedOn ?? 0,
      }
    : null
  return { name, waiting: waiting + prioritized, active, delayed, failed, newest_failure }
}
