/**
 * One-time links that sign a browser in. Each is bound to the key that it was made for, is used up by its first visit, and
 * expires. They live in the process that made them: `up` prints one of its own API.
 */
import { hash, randomBytes } from 'node:crypto'

export const LINK_SECONDS = 3_600

export type SignInLinks = {
  /** Secret part of a new link. */
  make(key: string): string
  /** The key, once; undefined for a link that is unknown, used or expired. */
  redeem(secret: string): string | undefined
}

const SECRET_BYTES = 24
/** The oldest is forgotten beyond these. */
const LINKS_MAX = 100

/** `now`: Unix ms. */
export function createSignInLinks(now: () => number): SignInLinks {
  const links = new Map<string, { key: string; endsAtMs: number }>()
  const nameOf = (secret: string): string => hash('sha256', secret, 'base64url')
  return {
    make(key) {
      const secret = randomBytes(SECRET_BYTES).toString('base64url')
      links.set(nameOf(secret), { key, endsAtMs: now() + LINK_SECONDS * 1_000 })
      const [oldest] = links.keys()
      if (links.size > LINKS_MAX && oldest !== undefined) links.delete(oldest)
      return secret
    },
    redeem(secret) {
      const name = nameOf(secret)
      const link = links.get(name)
      links.delete(name)
      return link !== undefined && link.endsAtMs > now() ? link.key : undefined
    },
  }
}
