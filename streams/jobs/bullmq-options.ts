/** Names and options of job queues and workers; each error is logged once. */
import { EventEmitter } from 'node:events'
import type { Queue, QueueEvents, Worker } from 'bullmq'
import { JOBS, type JobName } from './job.ts'
import { LISTENERS_MAX } from './redis.ts'

/** Completed jobs are retained for callers that still wait for them; failed ones for the operator. */
const DONE_RETENTION_MS = 60_000
const FAILED_RETENTION = { age: 7 * 24 * 3600, count: 1_000 }
const DONE_COUNT = 1_000

export function jobOptions(name: JobName) {
  const { attempts, backoffMs, retentionMs = DONE_RETENTION_MS } = JOBS[name]
  return {
    attempts,
    backoff: { type: 'exponential', delay: backoffMs },
    removeOnComplete: { age: retentionMs / 1_000, count: DONE_COUNT },
    removeOnFail: FAILED_RETENTION,
    stackTraceLimit: 3,
  }
}

/** Connection errors are logged once, by the connection. */
export function quiet<Emitter extends Queue | QueueEvents | Worker>(emitter: Emitter): Emitter {
  emitter.setMaxListeners(LISTENERS_MAX)
  EventEmitter.prototype.on.call(emitter, 'error', () => {})
  return emitter
}

export function keyPrefix(prefix: string): string {
  return `${prefix}swaptide`
}
