/**
 * Requests of REST: one attempt after another until an answer, an error that a later attempt would repeat, or an abort.
 *
 * Integers beyond 2^53 arrive as texts (int64=string), so any JSON parser is exact; SHAPES names the fields in which they
 * become bigints. A wait that the server requests (Retry-After) takes precedence over the own back-off.
 */
import { OPERATIONS, type Operations, SHAPES } from './generated.ts'

export type OperationId = keyof Operations
export type Parameters<Id extends OperationId> = Operations[Id]['parameters']
export type Answer<Id extends OperationId> = Operations[Id]['answer']

export type ClientOptions = {
  /** Where the API is: `https://api.example.com`. */
  url: string
  /** The API key. */
  key?: string
  /** Attempts after the first one, for 429, 502, 503, 504 and lost connections; absent: 4. */
  retries?: number
  /** Absent: the fetch of the platform. */
  fetch?: typeof fetch
}
export type CallOptions = { signal?: AbortSignal }

/** An error that the API answered with. */
export class SwaptideError extends Error {
  /** HTTP status. */
  readonly status: number
  /** Code of the API: `INVALID_PARAM`, `not_found`. */
  readonly code: string
  /** Milliseconds after which the same request may succeed, where the server names them. */
  readonly retryAfterMs: number | undefined
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined

  constructor(status: number, code: string, message: string, headers: Headers) {
    super(message)
    this.name = 'SwaptideError'
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMsOf(headers.get('Retry-After'))
    this.requestId = headers.get('X-Request-Id') ?? undefined
  }
}

/** Path and shape of the answer, and the method where it is not GET: a batch, which only reads. */
type Declared = readonly [path: string, shape: unknown, method?: 'POST']

const RETRIES = 4
const PASSING_STATUSES = new Set([429, 502, 503, 504])
/** A wait is double the one before. */
const BACKOFF_MS = { first: 200, max: 10_000 }
/** A longer wait is left to the caller: the error has it. */
const WAIT_MS_MAX = 300_000

export async function call<Id extends OperationId>(
  options: ClientOptions,
  id: Id,
  parameters: Parameters<Id>,
  { signal }: CallOptions = {},
): Promise<Answer<Id>> {
  const [path, shape, method = 'GET'] = OPERATIONS[id] as Declared
  const { search, body } = partsOf(path, method, parameters as Record<string, unknown>)
  const url = options.url.replace(/\/$/, '') + search
  const headers = new Headers({ Accept: 'application/json', Int64: 'string' })
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  if (options.key !== undefined) headers.set('X-API-Key', options.key)
  const send = options.fetch ?? globalThis.fetch
  const { retries = RETRIES } = options
  for (let attempt = 0; ; attempt++) {
    let failure: unknown
    let retryAfterMs: number | undefined
    try {
      const response = await send(url, {
        ...{ method, headers },
        ...(body === undefined ? {} : { body }),
        ...(signal ? { signal } : {}),
      })
      const text = await response.text()
      if (response.ok) return restore(JSON.parse(text), shape) as Answer<Id>
      const refused = errorOf(response, text)
      if (!PASSING_STATUSES.has(response.status)) throw refused
      failure = refused
      retryAfterMs = refused.retryAfterMs
    } catch (error) {
      if (error instanceof SwaptideError || signal?.aborted) throw error
      failure = error
    }
    if (attempt >= retries || (retryAfterMs ?? 0) > WAIT_MS_MAX) throw failure
    await pause(Math.max(retryAfterMs ?? 0, backoffMs(attempt)), signal)
  }
}

/** Path parameters in the path, all others in the query, or as fields of the body of a POST. */
function partsOf(template: string, method: 'GET' | 'POST', parameters: Record<string, unknown>) {
  const query = new URLSearchParams()
  const fields: Record<string, unknown> = {}
  let path = template
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    const text = Array.isArray(value) ? value.join(',') : String(value)
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(text))
    else if (method === 'POST') fields[name] = value
    else query.set(name, text)
  }
  if (method === 'POST') return { search: path, body: JSON.stringify(fields) }
  return { search: query.size === 0 ? path : `${path}?${query}` }
}

/** The value with bigints where its shape has integers; changes it in place. */
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
function errorOf({ status, statusText, headers }: Response, text: string): SwaptideError {
  let error: unknown
  let message: unknown
  try {
    ;({ error, message } = JSON.parse(text))
  } catch {
    message = statusText
  }
  if (typeof error === 'object' && error !== null) {
    const refusal = error as { code: string; message: string }
    return new SwaptideError(status, refusal.code, refusal.message, headers)
  }
  const code = typeof message === 'string' && typeof error === 'string' ? error : `HTTP_${status}`
  return new SwaptideError(status, code, String(message ?? error ?? statusText), headers)
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
