/**
 * Sends the waiting deliveries of an endpoint, the oldest first and one at a time, until none waits, one fails, or the
 * time slice is over.
 *
 * Invariants: a delivery is deleted only after the endpoint accepted it, so that a crash repeats it with the same id and
 * loses none. One process at a time sends to an endpoint, under a lock of its database session, so that the order holds.
 * Nothing is held in memory between two slices: the table has the attempts and the time of the next.
 */

import type { Log } from '../../../domain/log.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/time/time-bucket.ts'
import type { PrivatePolicy } from '../../../domain/webhook-target.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { TargetRefused } from '../../../streams/outgoing/target.ts'
import { type SecretBox, SecretUnreadable, signatureOf } from '../secret.ts'
import { type Outcome, openPoster, type Poster } from './post.ts'
import type { SessionLocks } from './session-locks.ts'

/** When a delivery that failed is tried again, in milliseconds. */
export type Retrying = {
  /** Doubles with each failure up to `greatest`, give or take a fifth. */
  first: number
  greatest: number
  /** An endpoint that fails for so long is paused. */
  giveUpAfter: number
}

export const RETRYING: Retrying = {
  first: 5_000,
  greatest: HOUR_MS,
  giveUpAfter: 3 * DAY_MS,
}

/** Milliseconds for the whole of an attempt. */
export const ATTEMPT_BOUND_MS = 15_000
/** Milliseconds after which an endpoint with more deliveries makes room for others. */
const SLICE_MS = 5_000
const PAGE_ROWS = 50
const JITTER = 0.2
const GONE_REASON = 'the endpoint answered 410: it wants no more deliveries'

export type SendDeps = {
  db: Db
  locks: SessionLocks
  box: SecretBox
  policy: PrivatePolicy
  log: Log
  retrying: Retrying
  attemptBoundMs: number
  /** Counts an attempt. */
  onAttempt(isAccepted: boolean, durationMs: number): void
}

type Target = { url: string; secret: Buffer; old_secret: Buffer | null; attempts: number }
type Waiting = { number: number; event_id: string; body: string }

const findTarget = query<Target>('webhooks/find_target')
const listDeliveries = query<Waiting>('webhooks/list_deliveries')
const acceptDelivery = query<{ is_paused: boolean }>('webhooks/accept_delivery')
const recordFailure = query<{ attempts: number; is_paused: boolean }>('webhooks/record_failure')

/** Sends for one time slice; returns at once where another process sends to the endpoint. */
export async function sendWaiting(deps: SendDeps, id: number, signal: AbortSignal): Promise<void> {
  const lock = await deps.locks.take('sender', id)
  if (lock === undefined) return
  const posters: Poster[] = []
  try {
    await sendForSlice(deps, id, AbortSignal.any([signal, lock.lost]), posters)
  } finally {
    for (const poster of posters) poster.close()
    await lock.release()
  }
}

async function sendForSlice(
  deps: SendDeps,
  id: number,
  signal: AbortSignal,
  posters: Poster[],
): Promise<void> {
  const endsAt = performance.now() + SLICE_MS
  while (!signal.aborted && performance.now() < endsAt) {
    const [target] = await findTarget(deps.db, [id])
    if (target === undefined) return
    const waiting = await listDeliveries(deps.db, [id, PAGE_ROWS])
    if (waiting.length === 0) return
    const prepared = prepare(deps, target, posters)
    if ('error' in prepared) return await fail(deps, id, target.attempts, prepared)
    let { attempts } = target
    for (const delivery of waiting) {
      const outcome = await attempt(deps, prepared, delivery, signal)
      // The end of this process is no failure of the endpoint.
      if (signal.aborted && !outcome.isAccepted) return
      if (!outcome.isAccepted) return await fail(deps, id, attempts, outcome)
      attempts = 0
      const [row] = await acceptDelivery(deps.db, [id, delivery.number])
      if (row === undefined || row.is_paused) return
      if (signal.aborted || performance.now() >= endsAt) return
    }
  }
}

type Prepared = { secrets: Buffer[]; poster: Poster }
type Failure = Outcome & { isAccepted: false }

/** Why nothing can be sent counts as a failure of the endpoint, so that operators see it. */
function prepare(
  { box, policy, attemptBoundMs }: SendDeps,
  { url, secret, old_secret }: Target,
  posters: Poster[],
): Prepared | Failure {
  try {
    const secrets = [secret, ...(old_secret === null ? [] : [old_secret])].map(box.open)
    const poster = posters[0] ?? openPoster(url, policy, attemptBoundMs)
    if (posters.length === 0) posters.push(poster)
    return { secrets, poster }
  } catch (error) {
    if (!(error instanceof SecretUnreadable || error instanceof TargetRefused)) throw error
    return { isAccepted: false, error: error.message, isGone: false, retryAfterMs: 0 }
  }
}

async function attempt(
  { onAttempt }: SendDeps,
  { secrets, poster }: Prepared,
  { event_id: id, body }: Waiting,
  signal: AbortSignal,
): Promise<Outcome> {
  const atSeconds = Math.floor(Date.now() / 1_000)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': signatureOf(secrets, { id, body }, atSeconds),
  }
  const beganAt = performance.now()
  const outcome = await poster.post(body, headers, signal)
  onAttempt(outcome.isAccepted, performance.now() - beganAt)
  return outcome
}

async function fail(
  { db, log, retrying }: SendDeps,
  id: number,
  failedBefore: number,
  { error, isGone, retryAfterMs }: Failure,
): Promise<void> {
  const pauseMs = Math.max(backoffMs(retrying, failedBefore), retryAfterMs)
  const nextMs = Math.min(pauseMs, retrying.greatest * (1 + JITTER))
  const reason = isGone ? GONE_REASON : null
  const [row] = await recordFailure(db, [id, error, nextMs, retrying.giveUpAfter, reason])
  const fields = { webhook: id, error, attempts: row?.attempts, nextMs: Math.round(nextMs) }
  if (row?.is_paused) log.error(fields, 'paused webhook')
  else log.warn(fields, 'failed to send to webhook; will retry')
}

/** Spread, so that endpoints of one host that was away do not come back at once. */
function backoffMs({ first, greatest }: Retrying, failedBefore: number): number {
  const doubled = Math.min(first * 2 ** failedBefore, greatest)
  return doubled * (1 - JITTER + 2 * JITTER * Math.random())
}
