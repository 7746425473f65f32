/**
 * NATS_URL taken apart as the client wants it, which reads no more than the host of a URL:
 * `nats://[USER:PASSWORD@ or TOKEN@]HOST[:PORT]`, `tls://` where nothing but TLS will do. The part before the host is
 * escaped as in any URL. The server address that the client names in errors holds no secret.
 */

export type NatsAccess = {
  /** Host and port. */
  servers: string
  user?: string
  pass?: string
  token?: string
  tls?: Record<string, never>
}

export function natsAccess(natsUrl: string): NatsAccess {
  const { host, protocol, username, password } = new URL(natsUrl)
  const access: NatsAccess = { servers: host }
  if (protocol === 'tls:') access.tls = {}
  if (password !== '') return { ...access, user: unescaped(username), pass: unescaped(password) }
  return username === '' ? access : { ...access, token: unescaped(username) }
}

/** Unchanged where its escapes are invalid. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
