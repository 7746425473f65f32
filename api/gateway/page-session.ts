/**
 * Sessions of the pages: a cookie that stands for an API key, so that no key is in an address, in a script or in the
 * storage of a browser.
 *
 * Invariant: the cookie is the key, encrypted and authenticated under a key derived from ADMIN_TOKEN. Nothing is stored,
 * every API process accepts it, and a revoked key or a new ADMIN_TOKEN ends it. It counts only in requests by pages of this
 * origin. See docs/decisions/0040-pages-for-people.md.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isSameOrigin } from './same-origin.ts'
import { cookieNameOf, cookieValueOf } from './session-cookie.ts'

export const PAGE_COOKIE = 'swaptide_page'
export const PAGE_SESSION_SECONDS = 30 * 24 * 3600

export type PageSessions = {
  /** `Set-Cookie` line of a session with this key; undefined deletes the cookie. `host`: the header Host. */
  cookieLine(key: string | undefined, host: string, isSecure: boolean): string
  /** The API key of a request by a page of this origin; undefined without a valid session. */
  keyOf(headers: IncomingHttpHeaders): string | undefined
}

const CIPHER = 'aes-256-gcm'
const SECRET_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
/** Base64url; a longer cookie is not one of ours. */
const COOKIE_LENGTH_MAX = 400

/** `secret`: ADMIN_TOKEN; absent: sessions end with this process. `now`: Unix ms. */
export function createPageSessions(secret: string | undefined, now: () => number): PageSessions {
  const from = secret ?? randomBytes(SECRET_BYTES)
  const sealing = Buffer.from(hkdfSync('sha256', from, '', 'swaptide page session', SECRET_BYTES))
  return {
    cookieLine(key, host, isSecure) {
      const value =
        key === undefined ? '' : seal(`${now() + PAGE_SESSION_SECONDS * 1_000}.${key}`, sealing)
      const age = key === undefined ? 0 : PAGE_SESSION_SECONDS
      const secure = isSecure ? '; Secure' : ''
      const name = cookieNameOf(PAGE_COOKIE, host)
      return `${name}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`
    },
    keyOf(headers) {
      const { cookie = '', host = '' } = headers
      const sealed = cookieValueOf(cookie, cookieNameOf(PAGE_COOKIE, host))
      if (sealed === undefined || !isSameOrigin(provenanceOf(headers))) return undefined
      const [endsAtMs = '', key] = unseal(sealed, sealing)?.split('.') ?? []
      return Number(endsAtMs) > now() ? key : undefined
    },
  }
}

function seal(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

function unseal(value: string, key: Buffer): string | undefined {
  const bytes = Buffer.from(value, 'base64url')
  if (value.length > COOKIE_LENGTH_MAX || bytes.length <= IV_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    // Changed, or sealed under another secret.
    return undefined
  }
}

function provenanceOf(headers: IncomingHttpHeaders) {
  const { origin = '', referer = '', host = '' } = headers
  const site = headers['sec-fetch-site']
  return { site: typeof site === 'string' ? site : '', origin, referer, host }
}
