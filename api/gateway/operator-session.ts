/**
 * Authenticates operators by ADMIN_TOKEN as Bearer, or by the session cookie that the console got for it.
 *
 * Invariant: the cookie does not contain the token. It holds its expiry and an HMAC of that under a key derived from
 * ADMIN_TOKEN: nothing is stored, every API process accepts it, and a new ADMIN_TOKEN invalidates all sessions.
 * CSRF: a browser sends the cookie by itself, so a request that changes something needs a Sec-Fetch-Site or Origin
 * header of this origin (SameSite alone lets pages on other ports pass).
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { ApiError } from '../routing/error.ts'
import { expectOperator, isOperator } from './keys/authenticate.ts'
import { isSameOrigin } from './same-origin.ts'
import { cookieNameOf, cookieValueOf } from './session-cookie.ts'

const SESSION_COOKIE = 'swaptide_operator'
/** A working day. */
export const SESSION_SECONDS = 12 * 3600

const HARMLESS = new Set(['GET', 'HEAD'])

/** The part of a request that authenticates it. */
type SessionRequest = Pick<Context, 'get' | 'method' | 'host'>

/** Throws ApiError UNAUTHORIZED or FORBIDDEN. */
export function expectOperatorRequest(request: SessionRequest, adminKey: string | undefined): void {
  const authorization = request.get('Authorization')
  if (authorization !== '' || !hasSession(request, adminKey)) {
    expectOperator(authorization, adminKey)
    return
  }
  if (!HARMLESS.has(request.method) && !isOfThisOrigin(request)) {
    throw new ApiError('FORBIDDEN', 'with a session, only pages of this host may change something')
  }
}

/** Whether the request is authenticated as an operator's; does not check that it may change something. */
export function isOperatorRequest(request: SessionRequest, adminKey: string | undefined): boolean {
  const authorization = request.get('Authorization')
  return authorization === '' ? hasSession(request, adminKey) : isOperator(authorization, adminKey)
}

/** Whether the request has a valid session cookie. */
export function hasSession(request: SessionRequest, adminKey: string | undefined): boolean {
  const name = cookieNameOf(SESSION_COOKIE, request.get('Host'))
  const session = cookieValueOf(request.get('Cookie'), name)
  return adminKey !== undefined && session !== undefined && isLive(session, adminKey, Date.now())
}

/** Value of a session cookie that is valid until `endsAtMs`. */
export function makeSession(adminKey: string, endsAtMs: number): string {
  const text = `${endsAtMs}.${randomBytes(12).toString('base64url')}`
  return `${text}.${signatureOf(text, adminKey)}`
}

export function isLive(session: string, adminKey: string, nowMs: number): boolean {
  const signed = session.lastIndexOf('.')
  const text = session.slice(0, Math.max(0, signed))
  const digest = (part: string): Buffer => hash('sha256', part, 'buffer')
  const isOurs = timingSafeEqual(
    digest(session.slice(signed + 1)),
    digest(signatureOf(text, adminKey)),
  )
  return isOurs && Number(text.split('.')[0]) > nowMs
}

/** `Set-Cookie` line of a session; an empty session deletes the cookie. `host`: the header Host. */
export function cookieLine(session: string, host: string, isSecure: boolean): string {
  const age = session === '' ? 0 : SESSION_SECONDS
  const secure = isSecure ? '; Secure' : ''
  const name = cookieNameOf(SESSION_COOKIE, host)
  return `${name}=${session}; Path=/admin; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
}

function signatureOf(text: string, adminKey: string): string {
  const key = createHmac('sha256', adminKey).update('swaptide operator session').digest()
  return createHmac('sha256', key).update(text).digest('base64url')
}

function isOfThisOrigin(request: SessionRequest): boolean {
  const site = request.get('Sec-Fetch-Site')
  return isSameOrigin({ site, origin: request.get('Origin'), host: request.host })
}
