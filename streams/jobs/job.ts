/**
 * Jobs: work that is requested rather than streamed. Names, payloads, schedules, and the identity by which equal
 * requests share one job.
 *
 * Law: a job may run twice (its worker was lost, or it was requested again) and must leave the same rows. It finds its
 * work in the tables; its payload only names the subject.
 *
 * Decision: docs/decisions/0029-jobs-are-a-process-of-their-own.md
 */

import { latestMs } from '../../domain/time/time.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import type { WindowName } from '../../domain/time/trade-window.ts'
import type { LeaderboardPeriod } from '../../domain/wallet/leaderboard.ts'
import type { ReplayRecord } from '../replay/replay.ts'

export const JOB_NAMES = [
  'chart-backfill',
  'wallet-tags',
  'reconcile',
  'leaderboard',
  'screener',
  'retention',
  'replay',
  'webhook',
  'token-names',
  'backtest',
  'past-ranking',
  'sandwiches',
  'seal-history',
] as const
export type JobName = (typeof JOB_NAMES)[number]

/** `wallet`: an address. Absent: all wallets that are due, as schedules request. */
export type JobPayloads = {
  'chart-backfill': { wallet: string }
  'wallet-tags': { wallet?: string }
  reconcile: { wallet?: string }
  /** Absent: all of them. */
  leaderboard: { period?: LeaderboardPeriod }
  screener: { window: WindowName }
  retention: Record<never, never>
  replay: ReplayPayload
  /** Id of an endpoint, whose waiting deliveries are sent. */
  webhook: { webhook: number }
  'token-names': Record<never, never>
  /** Id of a back-test. Absent: those that no process computes. */
  backtest: { backtest?: string }
  /** Id of a leaderboard as of a slot. Absent: those that no process computes. */
  'past-ranking': { ranking?: string }
  sandwiches: Record<never, never>
  'seal-history': Record<never, never>
}

/** The record of a replay holds the position reached, and is replaced as the replay proceeds. */
export type ReplayPayload = {
  record: ReplayRecord
  /** Times the pace of the events' own clock; null: without pauses. */
  speed: number | null
  toSubject: string
}

type JobTraits = {
  /** Askers of the same within a period share a job while it is under way. */
  periodMs: number
  /** The schedule's interval, with an empty payload; absent: runs only on request. */
  everyMs?: number
  /** Jobs that one process runs concurrently. */
  concurrency: number
  /** Runs before a job is given up, and the first of the pauses between them, which double. */
  attempts: number
  backoffMs: number
  /** A completed job is retained so long, and for a minute at least: for waiting callers and for operators. */
  retentionMs?: number
  /** Runs so often that a completed run is logged as debug. */
  isFrequent?: true
}

export const JOBS: Readonly<Record<JobName, JobTraits>> = {
  // A request waits for it: the first pauses are shorter than a request.
  'chart-backfill': { periodMs: DAY_MS, concurrency: 4, attempts: 5, backoffMs: 250 },
  'wallet-tags': {
    periodMs: HOUR_MS,
    everyMs: 10 * MINUTE_MS,
    concurrency: 2,
    attempts: 5,
    backoffMs: 500,
  },
  reconcile: {
    periodMs: HOUR_MS,
    everyMs: 10 * MINUTE_MS,
    concurrency: 2,
    attempts: 3,
    backoffMs: 2_000,
  },
  leaderboard: {
    periodMs: MINUTE_MS,
    // A ranking may be served for five minutes, and making all of them may take one.
    everyMs: 4 * MINUTE_MS,
    // One for the schedule, one for requests.
    concurrency: 2,
    attempts: 3,
    backoffMs: 1_000,
  },
  screener: {
    periodMs: MINUTE_MS,
    // Windows do not wait for each other, as far as two cores go.
    concurrency: 2,
    attempts: 2,
    backoffMs: 250,
  },
  retention: {
    periodMs: DAY_MS,
    everyMs: DAY_MS,
    concurrency: 1,
    attempts: 5,
    backoffMs: 60_000,
  },
  replay: {
    periodMs: DAY_MS,
    // A paced replay must not block others.
    concurrency: 2,
    // Four minutes without NATS.
    attempts: 8,
    backoffMs: 2_000,
    retentionMs: 7 * DAY_MS,
  },
  webhook: {
    periodMs: MINUTE_MS,
    // A job is an endpoint, and waits for it most of the time.
    concurrency: 32,
    // Failures of endpoints are no failures of jobs: the table holds their next attempts.
    attempts: 1,
    backoffMs: 1_000,
  },
  'token-names': {
    periodMs: MINUTE_MS,
    everyMs: MINUTE_MS,
    concurrency: 1,
    // Until the next run is due anyway.
    attempts: 4,
    backoffMs: 4_000,
  },
  backtest: {
    periodMs: DAY_MS,
    everyMs: 5 * MINUTE_MS,
    // One computes in the time in which the other reads.
    concurrency: 2,
    attempts: 3,
    backoffMs: 2_000,
  },
  'past-ranking': {
    periodMs: DAY_MS,
    everyMs: 5 * MINUTE_MS,
    concurrency: 1,
    attempts: 3,
    backoffMs: 2_000,
  },
  // A process of jobs follows when it is notified; the schedule is for notifications that were lost.
  sandwiches: {
    periodMs: MINUTE_MS,
    everyMs: MINUTE_MS,
    concurrency: 1,
    attempts: 2,
    backoffMs: 1_000,
    isFrequent: true,
  },
  'seal-history': {
    periodMs: MINUTE_MS,
    everyMs: 5 * MINUTE_MS,
    concurrency: 1,
    // The next run continues where one failed.
    attempts: 1,
    backoffMs: 1_000,
    isFrequent: true,
  },
}

/**
 * Milliseconds for which a comparison of a wallet with the chain is valid. Reads of the wallet, which request one, and
 * the job go by the same rule, so that a wallet with many readers is compared once.
 */
export const RECONCILED_FOR_MS = 5 * MINUTE_MS

/** `reconciledMs`: when the newest pass began, null for a wallet without one. A time after the clock is ignored. */
export function isReconciliationDue(reconciledMs: number | null, nowMs: number): boolean {
  if (reconciledMs === null) return true
  return nowMs - reconciledMs >= RECONCILED_FOR_MS || reconciledMs > latestMs(nowMs)
}

/** `chart-backfill~<wallet>~<start of the period, Unix ms>`: the identity of equal requests. */
export function jobIdentity<Name extends JobName>(
  name: Name,
  payload: JobPayloads[Name],
  atMs: number,
): string {
  const { periodMs } = JOBS[name]
  const { wallet, period, window, webhook, backtest, ranking } = payload as Partial<
    Record<'wallet' | 'period' | 'window' | 'webhook' | 'backtest' | 'ranking', string | number>
  >
  const subject = wallet ?? period ?? window ?? webhook ?? backtest ?? ranking ?? 'all'
  return `${name}~${subject}~${atMs - (atMs % periodMs)}`
}

/** A payload for logs and operators: without the position reached, which may be long. */
export function loggedPayload(payload: unknown): unknown {
  const { record, ...rest } = payload as Partial<ReplayPayload>
  return record === undefined ? payload : { run: record.run, subject: record.plan.subject, ...rest }
}

/** Jobs that equal requests share; replays are started separately. */
type RequestedJob = Exclude<JobName, 'replay'>

/** Job queue as the API uses it. */
export type JobRequests = {
  /** Resolves when the job is queued or already was. Rejects with JobsUnavailable. */
  request<Name extends RequestedJob>(name: Name, payload: JobPayloads[Name]): Promise<void>
  /**
   * Resolves when the job no longer runs: its results are in the tables. Rejects with JobsUnavailable (also where Redis
   * is too slow to wait for), with JobFailed when its last attempt failed, with the signal's reason.
   */
  requestAndWait<Name extends RequestedJob>(
    name: Name,
    payload: JobPayloads[Name],
    signal: AbortSignal,
  ): Promise<void>
}

/** Jobs of one name as an operator sees them. `delayed`: pausing before a retry, or scheduled. */
export type QueueDepth = {
  name: JobName
  waiting: number
  active: number
  delayed: number
  failed: number
  newest_failure: { reason: string; payload: string; attempts: number; failed_ms: number } | null
}

/** `paused`: before it is tried again. */
export const REPLAY_STATES = ['waiting', 'running', 'paused', 'stopped', 'done', 'failed'] as const

/** A replay as an operator sees it. */
export type ReplayJob = ReplayPayload & {
  state: (typeof REPLAY_STATES)[number]
  /** Error of the last attempt. */
  failure: string | null
  asked_ms: number
  ended_ms: number | null
}

/** Replays as operators manage them. Each method rejects with JobsUnavailable. */
export type ReplayJobs = {
  start(payload: ReplayPayload): Promise<void>
  /** The newest first. */
  list(): Promise<ReplayJob[]>
  /** Stops a running replay, and deletes any other. Resolves to false for an unknown id. */
  stop(id: string): Promise<boolean>
}

/** A run of a job, besides its payload. */
export type JobRun = {
  /** Replaces the payload by one with the position reached, from which its next run resumes. */
  keep(payload: object): Promise<void>
  /** Whether a stop was requested, or the job was deleted. */
  isStopped(): Promise<boolean>
  /** Aborted when the process wants to end: throw JobLater at once, and the rest is done by another. */
  ending: AbortSignal
}

/** The rest of a job waits for another process: no failure. */
export class JobLater extends Error {
  override name = 'JobLater'
}

/** Redis, which holds the queues, cannot be reached or does not answer in time: do without a job. */
export class JobsUnavailable extends Error {
  override name = 'JobsUnavailable'
}

/** The job's attempts are used up; the message is the reason of the last. */
export class JobFailed extends Error {
  override name = 'JobFailed'
}
