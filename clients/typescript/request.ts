/**
 * Requests of REST: one attempt after another until an answer, an error that a later attempt would repeat, or an abort.
 *
 * ```
 * attempt -> redirects within the origin -> status -> JSON -> integers of its shape -> answer
 *    `- lost, 429, 502, 503, 504: back-off, next attempt        `- SwaptideError of a code
 * ```
 * Integers beyond 2^53 arrive as texts (int64=string), so any JSON parser is exact; SHAPES names the fields in which they
 * become bigints. A wait that the server requests (Retry-After) takes precedence over the own back-off.
 * Invariant: the key goes to the origin of `url` only, and no error repeats it.
 */
import { OPERATIONS, type Operations, SHAPES } from './generated.ts'

export type OperationId = keyof Operations
export type Parameters<Id extends OperationId> = Operations[Id]['parameters']
export type Answer<Id extends OperationId> = Operations[Id]['answer']

/** A listener as platforms declare it, whatever more its event has. */
type Listener<Event> = { on(event: Event): unknown }['on'] | null
/** The part of a WebSocket that a feed uses. */
export type Socket = {
  onmessage: Listener<Record<'data', unknown>>
  onclose: Listener<{ code: number; reason: string }>
  onerror: Listener<unknown>
  send(text: string): void
  close(): void
}
/** The WebSocket of a platform, or that of the package "ws". */
export type SocketClass = new (url: string) => Socket

export type ClientOptions = {
  /** Where the API is: `https://api.example.com`. */
  url: string
  /** The API key. It is sent to the origin of `url` only. */
  key?: string
  /** Attempts after the first one, for 429, 502, 503, 504 and lost connections; absent: 4. */
  retries?: number
  /** Milliseconds that an attempt may take until its whole answer is read; absent: 30,000. */
  timeoutMs?: number
  /** Absent: the fetch of the platform. */
  fetch?: typeof fetch
  /** For feeds. Absent: the WebSocket of the platform, which Node.js has from version 22 on. */
  WebSocket?: SocketClass
}
export type CallOptions = {
  signal?: AbortSignal
  /** Absent: that of the client. */
  timeoutMs?: number
}

/**
 * An error of the API, or of the way to it. Codes of status 0 are the client's own: `TIMEOUT`, `NETWORK`, `NO_WEBSOCKET`,
 * `INVALID_OPTION`, `INVALID_PARAM`, `CLOSE_<code>`. Those of the answer's status: `INVALID_ANSWER` (it is not what the API
 * answers with), `REDIRECTED` (to another origin, which does not get the key).
 */
export class SwaptideError extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** Code of the API, or of this client: `INVALID_PARAM`, `not_found`, `TIMEOUT`. */
  readonly code: string
  /** Milliseconds after which the same request may succeed, where the server names them. */
  readonly retryAfterMs: number | undefined
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Headers = new Headers(),
    options: ErrorOptions = {},
  ) {
    super(message, options)
    this.name = 'SwaptideError'
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMsOf(headers.get('Retry-After'))
    this.requestId = headers.get('X-Request-Id') ?? undefined
  }
}

/** Path and shape of the answer, and the method where it is not GET: a batch, which only reads. */
type Declared = readonly [path: string, shape: unknown, method?: 'POST']
type Sent = { method: 'GET' | 'POST'; headers: Headers; body?: string }

const RETRIES = 4
const TIMEOUT_MS = 30_000
/** A timer of a longer time fires at once. */
const TIMER_MS_MAX = 2_147_483_647
const PASSING_STATUSES = new Set([429, 502, 503, 504])
const [NETWORK, REDIRECTED] = ['NETWORK', 'REDIRECTED']
/** A wait is double the one before. */
const BACKOFF_MS = { first: 200, max: 10_000 }
/** A longer wait is left to the caller: the error has it. */
const WAIT_MS_MAX = 300_000
const REDIRECTS_MAX = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** The redirects that keep method and body. */
const SAME_REQUEST = new Set([307, 308])

/** The options, with `url` as the beginning of every path. Throws SwaptideError: INVALID_OPTION. */
export function checkedOptions(options: ClientOptions): ClientOptions {
  const { key, retries = RETRIES, timeoutMs = TIMEOUT_MS } = options
  const url = baseOf(options.url)
  if (key !== undefined && !(typeof key === 'string' && /^[\x21-\x7e]+$/.test(key))) {
    throw invalid('key: expected one line of printable ASCII without spaces and line feeds')
  }
  if (!(Number.isInteger(retries) && retries >= 0)) {
    throw invalid(`retries "${retries}": expected an integer of 0 or more`)
  }
  expectTimeout(timeoutMs)
  return { ...options, url, retries, timeoutMs }
}

/** The message repeats nothing of the URL, which may hold a password. */
function baseOf(given: string): string {
  const advice = 'expected the address of the API, such as https://api.example.com'
  let url: URL
  try {
    url = new URL(given)
  } catch {
    throw invalid(`url: ${advice}`)
  }
  if (!/^https?:$/.test(url.protocol)) throw invalid(`url: ${advice}`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid(`url: ${advice}, without user, password, query and fragment`)
  }
  return url.href.replace(/\/+$/, '')
}

function expectTimeout(ms: number): void {
  if (typeof ms === 'number' && ms > 0) return
  throw invalid(`timeoutMs "${ms}": expected milliseconds above 0, or Infinity`)
}

function invalid(text: string): SwaptideError {
  return new SwaptideError(0, 'INVALID_OPTION', text)
}

/** `options`: those of checkedOptions(). Rejects with SwaptideError, or with the reason of the signal. */
export async function call<Id extends OperationId>(
  options: ClientOptions,
  id: Id,
  parameters: Parameters<Id>,
  { signal, timeoutMs = options.timeoutMs ?? TIMEOUT_MS }: CallOptions = {},
): Promise<Answer<Id>> {
  const [path, shape, method = 'GET'] = OPERATIONS[id] as Declared
  expectTimeout(timeoutMs)
  const { search, body } = partsOf(path, method, parameters as Record<string, unknown>)
  const headers = new Headers({ Accept: 'application/json', Int64: 'string' })
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  const sent: Sent = { method, headers, ...(body === undefined ? {} : { body }) }
  const { retries = RETRIES } = options
  for (let attempt = 0; ; attempt++) {
    let failure: SwaptideError
    try {
      return await bounded(timeoutMs, signal, async (until) => {
        const { response, text } = await exchange(options, options.url + search, sent, until)
        if (!response.ok) throw errorOf(response, text, options.key)
        return answerOf(response, text, shape) as Answer<Id>
      })
    } catch (error) {
      if (!(error instanceof SwaptideError) || !isPassing(error)) throw error
      failure = error
    }
    const { retryAfterMs = 0 } = failure
    if (attempt >= retries || retryAfterMs > WAIT_MS_MAX) throw failure
    await pause(Math.max(retryAfterMs, backoffMs(attempt)), signal)
  }
}

function isPassing({ status, code }: SwaptideError): boolean {
  return code === NETWORK || PASSING_STATUSES.has(status)
}

/**
 * The work under a bound of time and the caller's signal, which has one listener more until it ends: platforms leave
 * theirs on a signal until it is collected. Rejects with the reason of the signal, or TIMEOUT.
 */
async function bounded<Result>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (until: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const ended = new AbortController()
  const abort = () => ended.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const expire = () =>
    ended.abort(new SwaptideError(0, 'TIMEOUT', `the API did not answer in ${timeoutMs} ms`))
  const timer = timeoutMs > TIMER_MS_MAX ? undefined : setTimeout(expire, timeoutMs)
  // A fetch of the caller's may not know its signal.
  const aborted = new Promise<never>((_, reject) => {
    ended.signal.addEventListener('abort', () => reject(ended.signal.reason), { once: true })
  })
  try {
    return await Promise.race([work(ended.signal), aborted])
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** The answer and its body, after redirects. Rejects with SwaptideError: NETWORK, REDIRECTED. */
async function exchange(options: ClientOptions, url: string, sent: Sent, until: AbortSignal) {
  try {
    const response = await follow(options, url, sent, until)
    return { response, text: await response.text() }
  } catch (error) {
    if (error instanceof SwaptideError) throw error
    const { message, cause } = error as Error & { cause?: { code?: unknown; message?: string } }
    const text = `${new URL(url).origin}: ${masked(String(cause?.code ?? cause?.message ?? message), options.key)}`
    const summary = `the connection was lost or refused: ${text}`
    throw new SwaptideError(0, NETWORK, summary, new Headers(), { cause: error })
  }
}

/** Redirects are followed here, because fetch takes the header of the key along to any origin. */
async function follow(
  { fetch: send = globalThis.fetch, key, url: base }: ClientOptions,
  first: string,
  sent: Sent,
  signal: AbortSignal,
): Promise<Response> {
  const plain = { ...sent, signal }
  if (key === undefined) return await send(first, plain)
  const headers = new Headers(sent.headers)
  headers.set('X-API-Key', key)
  const { origin } = new URL(base)
  let url = first
  for (let count = 0; count <= REDIRECTS_MAX; count++) {
    const response = await send(url, { ...plain, headers, redirect: 'manual' })
    const isHidden = response.type === 'opaqueredirect'
    const location = response.headers.get('Location')
    if (!isHidden && (!REDIRECTS.has(response.status) || location === null)) return response
    await response.body?.cancel()
    // A browser hides the target, but shows where the request arrives that has no key.
    const target = isHidden
      ? (await send(url, plain).catch(() => undefined))?.url
      : new URL(String(location), url).href
    const found = target === undefined ? 'an address that is hidden' : new URL(target).origin
    if (target === undefined || found !== origin) {
      const why = 'the key is for the origin of "url" only, so name the final address there'
      throw redirected(response, `${origin} redirects to ${found}: ${why}`)
    }
    if (!isHidden && sent.method === 'POST' && !SAME_REQUEST.has(response.status)) {
      throw redirected(
        response,
        `${origin} redirects a POST by ${response.status}, without its body`,
      )
    }
    url = target
  }
  throw new SwaptideError(0, REDIRECTED, `${origin} redirects more than ${REDIRECTS_MAX} times`)
}

function redirected({ status, headers }: Response, text: string): SwaptideError {
  return new SwaptideError(status, REDIRECTED, text, headers)
}

/** The answer with its integers as bigints. Throws SwaptideError: INVALID_ANSWER. */
function answerOf({ status, headers }: Response, text: string, shape: unknown): unknown {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null) return restore(answer, shape)
  } catch {
    // Below, as other JSON than an object.
  }
  const type = headers.get('Content-Type') ?? 'no Content-Type'
  const message = `expected an answer of the API in JSON, not ${text.length} characters of "${type}": is "url" its address?`
  throw new SwaptideError(status, 'INVALID_ANSWER', message, headers)
}

/** Path parameters in the path, all others in the query, or as fields of the body of a POST. */
function partsOf(template: string, method: 'GET' | 'POST', parameters: Record<string, unknown>) {
  const query = new URLSearchParams()
  const fields: Record<string, unknown> = {}
  let path = template
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    const text = Array.isArray(value) ? value.join(',') : String(value)
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, segmentOf(name, text))
    else if (method === 'POST') fields[name] = value
    else query.set(name, text)
  }
  if (method === 'POST') return { search: path, body: jsonOf(fields) }
  return { search: query.size === 0 ? path : `${path}?${query}` }
}

/** These three would change the path itself. */
function segmentOf(name: string, text: string): string {
  if (text !== '' && text !== '.' && text !== '..') return encodeURIComponent(text)
  throw new SwaptideError(0, 'INVALID_PARAM', `${name} "${text}": expected a value of the path`)
}

/** JSON with bigints as the integers that they are. */
export function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonOf(field)}`).join()}}`
}

/** The value with bigints where its shape has integers; changes it in place. Throws where one is none. */
export function restore(value: unknown, shape: unknown): unknown {
  if (value === null || value === undefined || shape === null) return value
  if (shape === 1) return BigInt(value as string)
  if (typeof shape === 'string') return restore(value, SHAPES[shape] ?? null)
  if (typeof value !== 'object') return value
  if (Array.isArray(shape)) {
    return Array.isArray(value) ? value.map((each) => restore(each, shape[0])) : value
  }
  const fields = value as Record<string, unknown>
  const shapes = shape as Record<string, unknown>
  for (const name of '*' in shapes ? Object.keys(fields) : Object.keys(shapes)) {
    if (name in fields) fields[name] = restore(fields[name], shapes[name] ?? shapes['*'] ?? null)
  }
  return fields
}

/** Every family of errors: `{error: {code, message}}`, `{error, message}`, `{error}`; or a text of a proxy. */
function errorOf({ status, statusText, headers }: Response, text: string, key?: string) {
  let error: unknown
  let message: unknown
  try {
    ;({ error, message } = JSON.parse(text))
  } catch {
    message = undefined
  }
  const isFlat = typeof message === 'string' && typeof error === 'string'
  const enveloped = typeof error === 'object' && error !== null ? error : {}
  const { code = isFlat ? error : `HTTP_${status}`, message: own } = {
    ...(enveloped as { code?: unknown; message?: unknown }),
  }
  const plain = typeof error === 'string' ? error : undefined
  const shown = String(own ?? message ?? plain ?? (statusText || `HTTP status ${status}`))
  return new SwaptideError(status, String(code), masked(shown, key), headers)
}

/** A server that is not ours may answer with what it was sent. */
function masked(text: string, key: string | undefined): string {
  return key === undefined ? text : text.replaceAll(key, '***')
}

/** Seconds, or a date of HTTP. */
function retryAfterMsOf(text: string | null): number | undefined {
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : new Date(text).getTime() - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Clients that lost one server must not all come back in one moment. */
export function backoffMs(attempt: number): number {
  const grown = Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** attempt)
  return grown * (0.5 + Math.random() / 2)
}

/** Rejects with the reason of the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
