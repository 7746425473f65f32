/**
 * Admission control for every transport: authenticates the caller, decides by the rate limit, and provides the
 * rate-limit headers of the response.
 *
 * ```
 * key (401) -> rolling window of its lineage (429) -> counted for the month -> admitted
 * ```
 * The window is in Redis. If the lineage has room, the response may be read while Redis decides; none of it is sent
 * before. A REST or GraphQL request or WebSocket handshake counts 1, a refused one 0.
 */

import type { IncomingHttpHeaders } from 'node:http'
import { counted } from '../../domain/text/plural.ts'
import type { Caller, Quota } from '../routing/caller.ts'
import { ApiError } from '../routing/error.ts'
import { authenticate, type Carriers } from './keys/authenticate.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Limiter } from './limits/limiter.ts'
import { TIER_LIMITS, WINDOW_SECONDS } from './limits/tier.ts'
import type { Usage } from './limits/usage.ts'
import type { PageSessions } from './page-session.ts'

export type Admission = {
  caller: Caller
  /** State of the rate limit; absent: the tier has no cap. */
  quota?: Quota
  /** Headers for the response, errors included. */
  headers: Record<string, string>
}

/** Authenticated caller whose rate-limit decision is pending. */
export type Entry = {
  caller: Caller
  /** Whether the caller is so far below its cap that work may begin before `admission` resolves. */
  hasRoom: boolean
  /** Rejects with ApiError: RATE_LIMIT_EXCEEDED (with headers). */
  admission: Promise<Admission>
}

export type AdmissionControl = {
  /** Rejects with ApiError: UNAUTHORIZED (with headers), UNAVAILABLE. */
  enter(carriers: Carriers): Promise<Entry>
  /** Authenticates and waits for the decision. Rejects as `enter` and `admission` do. */
  admit(carriers: Carriers): Promise<Admission>
  /** Key of the session of a page of this origin; undefined without one. */
  sessionKeyOf(headers: IncomingHttpHeaders): string | undefined
}

type AdmissionControlSources = {
  ring: KeyRing
  limiter: Limiter
  usage: Usage
  /** Absent: there are no pages. */
  sessions?: Pick<PageSessions, 'keyOf'>
  /** Called for each rate-limit decision. */
  onDecision?: ((isAdmitted: boolean) => void) | undefined
}

export function createAdmissionControl({
  ring,
  limiter,
  usage,
  sessions,
  onDecision,
}: AdmissionControlSources): AdmissionControl {
  const take = async (
    caller: Caller,
    cap: number,
    headers: Admission['headers'],
  ): Promise<Admission> => {
    const { isAdmitted, ...quota } = await limiter.take(caller.lineage, cap)
    onDecision?.(isAdmitted)
    writeQuota(headers, quota)
    if (!isAdmitted) throw refusal(headers, quota)
    usage.count(caller.lineage)
    return { caller, quota, headers }
  }

  const enter = async (carriers: Carriers): Promise<Entry> => {
    const { id: keyId, tier, lineage, grace_until } = await authenticate(carriers, ring)
    const caller = { keyId, tier, lineage }
    const headers: Record<string, string> = {}
    if (grace_until !== null) headers['X-API-Key-Expires'] = grace_until.toUTCString()
    const cap = TIER_LIMITS[tier].windowRequests
    if (cap === null) {
      usage.count(lineage)
      return { caller, hasRoom: true, admission: Promise.resolve({ caller, headers }) }
    }
    const hasRoom = limiter.hasRoom(lineage, cap)
    return { caller, hasRoom, admission: take(caller, cap, headers) }
  }

  return {
    enter,
    admit: async (carriers) => (await enter(carriers)).admission,
    sessionKeyOf: (headers) => sessions?.keyOf(headers),
  }
}

export function remainingOf({ cap, used }: Quota): number {
  return Math.max(0, cap - used)
}

function writeQuota(headers: Record<string, string>, quota: Quota): void {
  const { cap, resetSeconds } = quota
  const remaining = remainingOf(quota)
  headers['RateLimit-Policy'] = `"tier-60s";q=${cap};w=${WINDOW_SECONDS}`
  headers.RateLimit = `"tier-60s";r=${remaining};t=${resetSeconds}`
  headers['X-RateLimit-Limit'] = String(cap)
  headers['X-RateLimit-Remaining'] = String(remaining)
  headers['X-RateLimit-Reset'] = String(resetSeconds)
}

function refusal(headers: Record<string, string>, { cap, resetSeconds }: Quota): ApiError {
  const text =
    `over ${counted(cap, 'request')} in the last ${WINDOW_SECONDS} seconds: ` +
    `try again in ${resetSeconds} s`
  const retry = { 'Retry-After': String(Math.max(1, resetSeconds)) }
  return new ApiError('RATE_LIMIT_EXCEEDED', text, { headers: { ...headers, ...retry } })
}
