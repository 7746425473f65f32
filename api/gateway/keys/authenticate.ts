/**
 * Authentication: reads the key from its three carriers (X-API-Key, Authorization: Bearer, ?api_key=), all of which
 * work on every route, or from the session of a page. Two different keys in one request are refused, because the caller would be ambiguous. A refusal
 * does not reveal which part of a key was right.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../routing/error.ts'
import { checkKey } from '../../routing/key-format.ts'
import type { KeyRing } from './key-ring.ts'
import type { StoredKey } from './keys.ts'

export type Carriers = {
  /** X-API-Key. */
  header: string | undefined
  authorization: string | undefined
  /** Values of `api_key` in the query. */
  query: string | readonly string[] | undefined
  /** Key of the session of a page of this origin; a key that the request itself carries takes precedence. */
  session?: string | undefined
}

const unauthorized = (text: string): ApiError => new ApiError('UNAUTHORIZED', text)

/** The live key of a request. Rejects with ApiError UNAUTHORIZED. */
export async function authenticate(carriers: Carriers, ring: KeyRing): Promise<StoredKey> {
  const key = keyOf(carriers)
  const stored = checkKey(key) === undefined ? undefined : await ring.find(key)
  if (stored === undefined) {
    throw unauthorized('the API key is malformed, unknown or revoked')
  }
  return stored
}

/** Throws ApiError UNAUTHORIZED unless this is the operators' key, and if none is configured. */
export function expectOperator(authorization: string, adminKey: string | undefined): void {
  if (isOperator(authorization, adminKey)) return
  throw unauthorized(
    bearerOf(authorization) === undefined
      ? 'operators only: send Authorization: Bearer with the operator token'
      : 'the operator token is wrong: expected the ADMIN_TOKEN of this installation',
  )
}

export function isOperator(authorization: string, adminKey: string | undefined): boolean {
  const given = bearerOf(authorization)
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
  return (
    given !== undefined &&
    adminKey !== undefined &&
    timingSafeEqual(digest(given), digest(adminKey))
  )
}

function bearerOf(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/** The one key that the carriers hold. Throws ApiError without one, and with two that differ. */
function keyOf({ header, authorization, query, session }: Carriers): string {
  // Fast path: most clients send the header only.
  if (header && authorization === undefined && query === undefined) return header
  const bearer = bearerOf(authorization ?? '')
  const [key, ...others] = new Set([header, bearer, query].flat().filter((text) => text))
  if (key === undefined && session !== undefined && !authorization) return session
  if (key === undefined) {
    throw unauthorized('an API key is required: X-API-Key, Authorization: Bearer or api_key')
  }
  if (others.length > 0) throw unauthorized('two different API keys in one request: send one')
  return key
}
