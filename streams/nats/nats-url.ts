/**
 * NATS_URL taken apart as the client wants it, which reads no more than the host of a URL: a list of
 * `nats://[USER:PASSWORD@ or TOKEN@]HOST[:PORT]`, separated by commas, in any order; `tls://` where nothing but TLS will
 * do. The part before the host is escaped as in any URL, and is the same for all servers: one of the list may name it
 * for all. The server address that the client names in errors holds no secret.
 *
 * Files of an access by certificate or credentials are parameters of the list (`?ca=/ca.pem`), so that one text is the
 * whole access, as with a URL of PostgreSQL. Settings name them: deploy/config.ts puts them in.
 */

export type NatsAccess = {
  /** Host and port of each. */
  servers: string[]
  user?: string
  pass?: string
  token?: string
  tls?: { caFile?: string; certFile?: string; keyFile?: string }
  /** A file with a JWT and its key, as `nsc` writes it. */
  credsFile?: string
}

/** Paths of files that an access needs. */
export type NatsFiles = {
  ca?: string | undefined
  cert?: string | undefined
  key?: string | undefined
  creds?: string | undefined
}

const SCHEMES = ['nats:', 'tls:']
const FILES = ['ca', 'cert', 'key', 'creds'] as const

/** The servers of the list; undefined where it is none, or where two of it name different users. */
function serversOf(natsUrl: string): URL[] | undefined {
  const [list = ''] = natsUrl.split('?', 1)
  const texts = list.split(',').map((text) => text.trim())
  const scheme = texts[0]?.split('//', 1)[0] ?? ''
  const whole = texts.map((text) => (text.includes('://') ? text : `${scheme}//${text}`))
  // A password without a scheme would be masked in no log.
  const isBare = texts.some((text) => text.includes('@') && !text.includes('://'))
  if (isBare || !whole.every((text) => URL.canParse(text))) return undefined
  const urls = whole.map((text) => new URL(text))
  const isServer = ({ protocol, host, pathname }: URL): boolean =>
    SCHEMES.includes(protocol) && host !== '' && ['', '/'].includes(pathname)
  const users = new Set(urls.map(userOf).filter((user) => user !== ':'))
  return urls.every(isServer) && users.size <= 1 ? urls : undefined
}

const userOf = ({ username, password }: URL): string => `${username}:${password}`

export function isNatsUrl(text: string): boolean {
  return serversOf(text) !== undefined
}

/** The hosts, each with its port, without secrets. */
export function natsHosts(natsUrl: string): string[] {
  return (serversOf(natsUrl) ?? []).map(({ host }) => host)
}

/** The same list with these files in place of its own. */
export function withNatsFiles(natsUrl: string, files: NatsFiles): string {
  const [list = '', query] = natsUrl.split('?', 2)
  const parameters = new URLSearchParams(query)
  for (const name of FILES) {
    const file = files[name]
    if (file !== undefined) parameters.set(name, file)
  }
  return parameters.size === 0 ? natsUrl : `${list}?${parameters}`
}

export function natsAccess(natsUrl: string): NatsAccess {
  const urls = serversOf(natsUrl)
  if (urls === undefined) throw new Error('expected a list of nats://HOST:PORT with one user')
  const files = new URLSearchParams(natsUrl.split('?', 2)[1])
  const access: NatsAccess = { servers: urls.map(({ host }) => host) }
  const [ca, cert, key, creds] = FILES.map((name) => files.get(name) ?? undefined)
  if (urls.some(({ protocol }) => protocol === 'tls:') || ca !== undefined || cert !== undefined) {
    access.tls = {
      ...(ca === undefined ? {} : { caFile: ca }),
      ...(cert === undefined ? {} : { certFile: cert }),
      ...(key === undefined ? {} : { keyFile: key }),
    }
  }
  if (creds !== undefined) access.credsFile = creds
  const named = urls.find((url) => userOf(url) !== ':')
  if (named === undefined) return access
  const { username, password } = named
  if (password !== '') return { ...access, user: unescaped(username), pass: unescaped(password) }
  return { ...access, token: unescaped(username) }
}

/** Unchanged where its escapes are invalid. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
