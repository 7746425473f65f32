/**
 * The gate of every transport: who asks, whether they may just now, and what an answer tells of it.
 *
 * ```
 * key (401) -> rolling window of its lineage (429) -> counted for the month -> on
 * ```
 * REST, GraphQL and each WebSocket handshake pass it once and count 1; what is refused here counts 0.
 */
import { ApiError } from '../error.ts'
import type { Caller } from '../route.ts'
import { authenticate, type Carriers } from './authenticate.ts'
import type { KeyRing } from './key-ring.ts'
import type { Limiter, Standing } from './limiter.ts'
import { TIER_LIMITS, WINDOW_SECONDS } from './tier.ts'
import type { Usage } from './usage.ts'

export type Admission = {
  caller: Caller
  /** Absent: a tier without a cap. */
  standing?: Standing
  /** For every answer to this request. */
  headers: Record<string, string>
}

export type Gate = {
  /** Rejects with ApiError: UNAUTHORIZED, RATE_LIMIT_EXCEEDED (both with headers), UNAVAILABLE. */
  admit(carriers: Carriers): Promise<Admission>
}

export type GateSources = {
  ring: KeyRing
  limiter: Limiter
  usage: Usage
  /** Told of each request that was counted in a window, or refused by it. */
  onVerdict?: ((isAdmitted: boolean) => void) | undefined
}

export function createGate({ ring, limiter, usage, onVerdict }: GateSources): Gate {
  return {
    async admit(carriers) {
      const { id: keyId, tier, lineage, grace_until } = await authenticate(carriers, ring)
      const caller = { keyId, tier, lineage }
      const headers: Record<string, string> = {}
      if (grace_until !== null) headers['X-API-Key-Expires'] = grace_until.toUTCString()
      const cap = TIER_LIMITS[tier].windowRequests
      if (cap === null) {
        usage.count(lineage)
        return { caller, headers }
      }
      const { isAdmitted, ...standing } = await limiter.take(lineage, cap)
      onVerdict?.(isAdmitted)
      writeStanding(headers, standing)
      if (!isAdmitted) throw refusal(headers, standing)
      usage.count(lineage)
      return { caller, standing, headers }
    },
  }
}

export function remainingOf({ cap, used }: Standing): number {
  return Math.max(0, cap - used)
}

function writeStanding(headers: Record<string, string>, standing: Standing): void {
  const { cap, resetSeconds } = standing
  const remaining = remainingOf(standing)
  headers['RateLimit-Policy'] = `"tier-60s";q=${cap};w=${WINDOW_SECONDS}`
  headers.RateLimit = `"tier-60s";r=${remaining};t=${resetSeconds}`
  headers['X-RateLimit-Limit'] = String(cap)
  headers['X-RateLimit-Remaining'] = String(remaining)
  headers['X-RateLimit-Reset'] = String(resetSeconds)
}

function refusal(headers: Record<string, string>, { cap, resetSeconds }: Standing): ApiError {
  const text =
    `over ${cap} requests in the last ${WINDOW_SECONDS} seconds: ` +
    `try again in ${resetSeconds} s`
  const retry = { 'Retry-After': String(Math.max(1, resetSeconds)) }
  return new ApiError('RATE_LIMIT_EXCEEDED', text, { headers: { ...headers, ...retry } })
}
