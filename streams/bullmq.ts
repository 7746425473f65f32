/**
 * Queues of jobs in Redis: the only importer of bullmq. One queue a job name; who asks and who works need
 * not run in one process, nor on one machine.
 *
 * Law: nobody hangs on Redis. Asking fails fast while it is away, waiting ends with it; workers wait for
 * it to come back. Nothing here is the only copy of anything: after a flush the schedules are made anew
 * and a job that was lost is asked for again by the next reader. Redis must run with `noeviction`.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type Job, Queue, QueueEvents, Worker } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import {
  type AskJobs,
  JOB_NAMES,
  JOBS,
  JobFailed,
  type JobName,
  type JobPayloads,
  JobsUnavailable,
  jobIdentity,
  type QueueDepth,
} from './job.ts'
import type { Log } from './log.ts'
import { latestMs } from './skew.ts'

export type JobQueueOptions = {
  redisUrl: string
  /** Keeps installations on one Redis apart: `` or `name.`. */
  prefix: string
  log: Log
  /** Milliseconds of asking beyond which Redis is too slow to be waited for. */
  slowMs?: number
  /** Milliseconds in which Redis must answer one who asks. */
  answerMs?: number
}

export type JobQueue = AskJobs & {
  /** How much waits, runs and failed, by job name. Rejects with JobsUnavailable. */
  depths(): Promise<QueueDepth[]>
  /** All of them as bullmq has them, for whoever shows them. */
  queues(): Queue[]
  close(): Promise<void>
}

const ANSWER_MS = 2_000
/**
 * A job is half a dozen steps over Redis: where asking alone takes longer than this, its end would hardly be
 * heard within a request's deadline.
 */
const SLOW_MS = 400
/** Milliseconds between two looks whether a job has ended that no event told of. */
const LOOK_AGAIN_MS = 1_000
/** One a waiting request, and those of bullmq: more would be a leak. */
const LISTENERS_MAX = 10_000
const RECONNECT_FROM_MS = 50
const RECONNECT_TO_MS = 1_000
/** Done jobs are kept for those who still wait for them; failed ones for the operator. */
const DONE_KEPT = { age: 60, count: 1_000 }
const FAILED_KEPT = { age: 7 * 24 * 3600, count: 1_000 }

/** Does not wait for Redis: asking says when it is away. */
export function openJobQueue(opening: JobQueueOptions): JobQueue {
  const { redisUrl, prefix, log, slowMs = SLOW_MS, answerMs = ANSWER_MS } = opening
  const client = connect(redisUrl, log, {
    enableOfflineQueue: false,
    commandTimeout: answerMs,
  })
  const inTime = <Answer>(work: () => Promise<Answer>) => answered(client, answerMs, work)
  const blocking = new Redis(redisUrl, { ...CONNECTION, lazyConnect: true })
  const options = { prefix: keyPrefix(prefix) }
  const queueOf = lazily((name: JobName) => {
    return quiet(new Queue(name, { ...options, connection: client }))
  })
  const waitingRoomOf = lazily((name: JobName) => {
    // From the oldest event that is kept: what ends while it connects is heard all the same.
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
    async ask(name, payload) {
      await add(name, payload)
    },
    async askAndWait(name, payload, signal) {
      signal.throwIfAborted()
      const askedAt = performance.now()
      const { id = '' } = await endedBy(signal, add(name, payload))
      const tookMs = performance.now() - askedAt
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
    queues: () => JOB_NAMES.map(queueOf),
    async close() {
      await Promise.allSettled(waitingRoomOf.made().map((room) => room.close()))
      await Promise.allSettled(queueOf.made().map((queue) => queue.close()))
      blocking.disconnect()
      client.disconnect()
    },
  }
}

export type RunJob = (name: JobName, payload: unknown, signal: AbortSignal) => Promise<void>

export type JobWorkerOptions = JobQueueOptions & {
  /** Those that this process works on. */
  names: readonly JobName[]
  run: RunJob
  /** Milliseconds after which the job of a process that was lost is taken up by another. */
  lockMs?: number
  /** Milliseconds between two looks whether the schedules are still there. */
  scheduleCheckMs?: number
}

const LOCK_MS = 15_000
const SCHEDULE_CHECK_MS = 15_000
/** Processes that a job may cost before it is given up: it may be what ends them. */
const LOSSES_MAX = 3
/** Milliseconds that `stop` lets jobs under way finish. */
const DRAIN_MS = 15_000

/** Works on jobs until it is stopped, whether Redis is there at the start or not. */
export function workOnJobs(options: JobWorkerOptions): { stop(): Promise<void> } {
  const { redisUrl, log, names, run, lockMs = LOCK_MS } = options
  const client = connect(redisUrl, log, {})
  const connection = { prefix: keyPrefix(options.prefix), connection: client }
  const cut = new AbortController()
  const workers = names.map((name) => {
    const work = (job: Job, _token?: string, signal: AbortSignal = cut.signal): Promise<void> =>
      run(name, job.data, AbortSignal.any([signal, cut.signal]))
    const worker = new Worker(name, work, {
      ...connection,
      concurrency: JOBS[name].concurrency,
      lockDuration: lockMs,
      stalledInterval: Math.ceil(lockMs / 2),
      maxStalledCount: LOSSES_MAX,
    })
    worker.on('failed', (job, fault) => {
      const { attemptsMade: attempt, data: payload } = job ?? {}
      log.error({ job: name, payload, attempt, err: fault }, 'a job failed')
    })
    worker.on('stalled', (id) =>
      log.warn({ job: name, id }, 'a job lost its worker: it runs again'),
    )
    return quiet(worker)
  })
  const schedules = keepSchedules(names, connection, client, options)
  return {
    async stop() {
      await schedules.stop()
      const isThere = client.status === 'ready'
      const bound = setTimeout(() => cut.abort(new Error('the jobs process ends')), DRAIN_MS)
      await Promise.allSettled(workers.map((worker) => worker.close(!isThere)))
      clearTimeout(bound)
      cut.abort(new Error('the jobs process ends'))
      client.disconnect()
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
    checking = checking.catch((fault: unknown) =>
      log.warn({ err: fault }, 'schedules of jobs could not be looked at'),
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
  // Written by a clock that was ahead. Changed, it would keep its time.
  if (isFar) await queue.removeJobScheduler(name)
  await queue.upsertJobScheduler(name, { every }, { name, data: {}, opts: jobOptions(name) })
  log.info({ job: name, every }, 'a job is scheduled')
}

function jobOptions(name: JobName) {
  const { attempts, backoffMs } = JOBS[name]
  return {
    attempts,
    backoff: { type: 'exponential', delay: backoffMs },
    removeOnComplete: DONE_KEPT,
    removeOnFail: FAILED_KEPT,
    stackTraceLimit: 3,
  }
}

/** Workers ask without end; who serves a request gives up by the bounds above. */
const CONNECTION = {
  maxRetriesPerRequest: null,
  retryStrategy: (times: number) => Math.min(RECONNECT_TO_MS, RECONNECT_FROM_MS * times),
} satisfies RedisOptions

type Bounds = Pick<RedisOptions, 'enableOfflineQueue' | 'commandTimeout'>

function connect(redisUrl: string, log: Log, bounds: Bounds): Redis {
  const client = new Redis(redisUrl, { ...CONNECTION, ...bounds })
  client.setMaxListeners(LISTENERS_MAX)
  let isAway = false
  client.on('error', (fault: Error) => {
    if (!isAway) log.warn({ err: fault }, 'Redis cannot be reached')
    isAway = true
  })
  client.on('ready', () => {
    if (isAway) log.info('Redis is back')
    isAway = false
  })
  return client
}

/** Faults of the connection are told once, by it. */
function quiet<Emitter extends Queue | QueueEvents | Worker>(emitter: Emitter): Emitter {
  emitter.setMaxListeners(LISTENERS_MAX)
  EventEmitter.prototype.on.call(emitter, 'error', () => {})
  return emitter
}

function keyPrefix(prefix: string): string {
  return `${prefix}swaptide`
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

/** The work's answer while Redis is there; JobsUnavailable when it is not, or says nothing. */
async function answered<Answer>(
  client: Redis,
  answerMs: number,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const bound = AbortSignal.timeout(answerMs)
  const lost = lossOf(client)
  try {
    return await Promise.race([endedBy(bound, work()), lost.rejection])
  } catch (cause) {
    if (cause instanceof JobsUnavailable) throw cause
    throw new JobsUnavailable('Redis does not answer', { cause })
  } finally {
    lost.forget()
  }
}

/** Rejects when the connection is lost, at once when it is away already. */
function lossOf(client: Redis): { rejection: Promise<never>; forget(): void } {
  const { promise: rejection, reject } = Promise.withResolvers<never>()
  const lose = (): void => reject(new JobsUnavailable('Redis cannot be reached'))
  rejection.catch(() => {})
  // A first attempt that is under way is waited for.
  if (['reconnecting', 'close', 'end'].includes(client.status)) lose()
  client.once('close', lose)
  return { rejection, forget: () => void client.off('close', lose) }
}

async function endedBy<Answer>(signal: AbortSignal, work: Promise<Answer>): Promise<Answer> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(signal.reason)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

type Outcome = 'done' | { reason: string }

/** Where those wait who asked for jobs of one name; told by the events that the queue writes. */
function openWaitingRoom(events: QueueEvents) {
  const waiting = new Map<string, Set<(outcome: Outcome) => void>>()
  const tell = (id: string, outcome: Outcome): void => {
    for (const settle of waiting.get(id) ?? []) settle(outcome)
  }
  events.on('completed', ({ jobId }) => tell(jobId, 'done'))
  events.on('failed', ({ jobId, failedReason }) => tell(jobId, { reason: failedReason }))
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

/** Told by an event; looked for now and then as well, because events are lost with a connection. */
async function lastOutcome(
  told: Promise<Outcome>,
  look: () => Promise<Outcome | 'under way'>,
  signal: AbortSignal,
): Promise<Outcome> {
  for (;;) {
    const outcome = await look()
    if (outcome !== 'under way') return outcome
    const later = pause(LOOK_AGAIN_MS, 'under way' as const, { signal })
    const heard = await Promise.race([told, later])
    if (heard !== 'under way') return heard
  }
}

/** A job that is gone was done, or lost with all of Redis: either way nobody works on it. */
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
        payload: JSON.stringify(newest.data),
        attempts: newest.attemptsMade,
        failed_ms: newest.finishedOn ?? 0,
      }
    : null
  return { name, waiting: waiting + prioritized, active, delayed, failed, newest_failure }
}
