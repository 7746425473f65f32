/**
 * Admission control for every transport: authenticates the caller, decides by the rate limit, and provides the
 * rate-limit headers of the response.
 *
 * ```
 * key (401) -> rolling window of its lineage (429) -> counted for the month -> admitted
 * ```
 * An installation with public pages admits visitors, without a key, to what its pages read: by the window of their address.
 *
 * The window is in Redis. If the lineage has room, the response may be read while Redis decides; none of it is sent
 * before. A REST or GraphQL request or WebSocket handshake counts 1, a refused one 0.
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { counted } from '../../domain/text/plural.ts'
import type { Caller, Quota } from '../routing/caller.ts'
import { ApiError } from '../routing/error.ts'
import { authenticate, type Carriers } from './keys/authenticate.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { StoredKey } from './keys/keys.ts'
import type { Limiter } from './limits/limiter.ts'
import { TIER_LIMITS, WINDOW_SECONDS } from './limits/tier.ts'
import type { Usage } from './limits/usage.ts'
import type { PageSessions } from './page-session.ts'
import { type AddressOf, isVisit, visitorAt } from './visitors.ts'

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

/** A caller before the rate-limit decision. */
export type Identified = {
  caller: Caller
  /** Whether it has no key. */
  isVisitor: boolean
  /** Notes that the feed has no room for it. */
  noteCrowded?: () => void
  /** Counts the request. */
  enter(): Entry
}

export type AdmissionControl = {
  /** Rejects with ApiError: UNAUTHORIZED (with headers), UNAVAILABLE. */
  enter(carriers: Carriers): Promise<Entry>
  /**
   * The caller of what pages read: without a key, or with a session whose key has ended, the visitor at the address, if
   * pages are public. Rejects with ApiError: UNAUTHORIZED, UNAVAILABLE.
   */
  identify(request: IncomingMessage, carriers: Carriers): Promise<Identified>
  /** The visitor who opens a page, signed in or not; undefined where pages are not public. */
  visitorOf(request: IncomingMessage): Identified | undefined
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
  /** Absent: pages are not public. */
  visitors?: VisitorSources | undefined
}

/** `requestsMax`: of one address in any 60 seconds. */
export type VisitorSources = {
  limiter: Limiter
  requestsMax: number
  addressOf: AddressOf
  onVisit?: ((outcome: VisitOutcome) => void) | undefined
}

/** `limited`: over the requests of its address; `crowded`: all connections of the feed that it may have are open. */
export type VisitOutcome = 'admitted' | 'limited' | 'crowded'

export function createAdmissionControl({
  ring,
  limiter,
  usage,
  sessions,
  onDecision,
  visitors,
}: AdmissionControlSources): AdmissionControl {
  const take = async (
    caller: Caller,
    cap: number,
    headers: Admission['headers'],
  ): Promise<Admission> => {
    const { isAdmitted, ...quota } = await limiter.take(caller.lineage, cap)
    onDecision?.(isAdmitted)
    writeQuota(headers, quota, 'tier')
    if (!isAdmitted) throw refusal(headers, quota)
    usage.count(caller.lineage)
    return { caller, quota, headers }
  }

  const enterKey = ({ tier, lineage, grace_until }: StoredKey, caller: Caller): Entry => {
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

  const identifyKey = async (carriers: Carriers): Promise<Identified> => {
    const stored = await authenticate(carriers, ring)
    const { id: keyId, tier, lineage, sql_access: hasSql } = stored
    const caller = { keyId, tier, lineage, hasSql }
    return { caller, isVisitor: false, enter: () => enterKey(stored, caller) }
  }

  const visitorOf = (request: IncomingMessage): Identified | undefined =>
    visitors === undefined ? undefined : identifyVisitor(request, visitors)

  const identify = async (request: IncomingMessage, carriers: Carriers): Promise<Identified> => {
    const visitor = isVisit(request.headers, carriers) ? visitorOf(request) : undefined
    if (visitor !== undefined && carriers.session === undefined) return visitor
    try {
      return await identifyKey(carriers)
    } catch (error) {
      // The key of a session has ended: pages stay, as for everybody.
      const isEnded = error instanceof ApiError && error.code === 'UNAUTHORIZED'
      if (visitor !== undefined && isEnded) return visitor
      throw error
    }
  }

  const enter = async (carriers: Carriers): Promise<Entry> => (await identifyKey(carriers)).enter()
  return {
    enter,
    identify,
    visitorOf,
    admit: async (carriers) => (await enter(carriers)).admission,
    sessionKeyOf: (headers) => sessions?.keyOf(headers),
  }
}

function identifyVisitor(
  { socket, headers }: IncomingMessage,
  visitors: VisitorSources,
): Identified {
  const { limiter, requestsMax, addressOf, onVisit } = visitors
  const caller = visitorAt(addressOf(socket.remoteAddress, headers))
  const enter = (): Entry => {
    const hasRoom = limiter.hasRoom(caller.lineage, requestsMax)
    return { caller, hasRoom, admission: takeVisit(caller, visitors) }
  }
  return { caller, isVisitor: true, noteCrowded: () => onVisit?.('crowded'), enter }
}

async function takeVisit(caller: Caller, sources: VisitorSources): Promise<Admission> {
  const { limiter, requestsMax, onVisit } = sources
  const { isAdmitted, ...quota } = await limiter.take(caller.lineage, requestsMax)
  onVisit?.(isAdmitted ? 'admitted' : 'limited')
  const headers: Record<string, string> = {}
  writeQuota(headers, quota, 'address')
  if (!isAdmitted) throw refusal(headers, quota)
  // Not counted by month: a row for each address would be stored.
  return { caller, quota, headers }
}

export function remainingOf({ cap, used }: Quota): number {
  return Math.max(0, cap - used)
}

function writeQuota(
  headers: Record<string, string>,
  quota: Quota,
  limitOf: 'tier' | 'address',
): void {
  const { cap, resetSeconds } = quota
  const remaining = remainingOf(quota)
  headers['RateLimit-Policy'] = `"${limitOf}-60s";q=${cap};w=${WINDOW_SECONDS}`
  headers.RateLimit = `"${limitOf}-60s";r=${remaining};t=${resetSeconds}`
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
