/**
 * Authenticates operators by ADMIN_TOKEN as Bearer, or by the session cookie that the console got for it.
 *
 * Law: the cookie is no key. It holds when it ends and a signature over that, made with a key derived from
 * ADMIN_TOKEN: nothing is stored, every process of the API takes it, another ADMIN_TOKEN ends all of them.
 * A browser sends it by itself, so with it nothing is changed unless the browser says that the request
 * comes from a page of this origin (SameSite alone lets pages of other ports pass).
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { ApiError } from '../routing/error.ts'
import { expectOperator, isOperator } from './keys/authenticate.ts'

export const SESSION_COOKIE = 'swaptide_operator'
/** A working day. */
export const SESSION_SECONDS = 12 * 3600

const HARMLESS = new Set(['GET', 'HEAD'])

/** The part of a request that says who asks. */
export type SessionRequest = Pick<Context, 'get' | 'method' | 'host'>

/** Throws ApiError UNAUTHORIZED or FORBIDDEN. */
export function expectOperatorRequest(asking: SessionRequest, adminKey: string | undefined): void {
  const authorization = asking.get('Authorization')
  if (authorization !== '' || !hasSession(asking, adminKey)) {
    expectOperator(authorization, adminKey)
    return
  }
  if (!HARMLESS.has(asking.method) && !isOfThisOrigin(asking)) {
    throw new ApiError('FORBIDDEN', 'with a session, only pages of this host may change something')
  }
}

/** Whether it asks as an operator; what it may change is another question. */
export function isOperatorRequest(asking: SessionRequest, adminKey: string | undefined): boolean {
  const authorization = asking.get('Authorization')
  return authorization === '' ? hasSession(asking, adminKey) : isOperator(authorization, adminKey)
}

/** Whether the console has been signed in to. */
export function hasSession(asking: SessionRequest, adminKey: string | undefined): boolean {
  const session = cookieOf(asking.get('Cookie'))
  return adminKey !== undefined && session !== undefined && isLive(session, adminKey, Date.now())
}

/** The value of a cookie that is good until then. */
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

/** `Set-Cookie` of a session; an empty one takes it away. */
export function cookieLine(session: string, isSecure: boolean): string {
  const age = session === '' ? 0 : SESSION_SECONDS
  const secure = isSecure ? '; Secure' : ''
  return `${SESSION_COOKIE}=${session}; Path=/admin; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
}

function signatureOf(text: string, adminKey: string): string {
  const key = createHmac('sha256', adminKey).update('swaptide operator session').digest()
  return createHmac('sha256', key).update(text).digest('base64url')
}

function cookieOf(header: string): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([name]) => name === SESSION_COOKIE)?.[1]
}

/** As the browser says it; one that does not know Sec-Fetch-Site says at least the origin. */
function isOfThisOrigin(asking: SessionRequest): boolean {
  const site = asking.get('Sec-Fetch-Site')
  if (site !== '') return site === 'same-origin'
  const origin = asking.get('Origin')
  return URL.canParse(origin) && new URL(origin).host === asking.host
}
