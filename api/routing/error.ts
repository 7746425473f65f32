/**
 * Request errors, and the one place that renders them.
 *
 * A client sees only a code, a status and a text of this API, never a stack, a statement or a database message.
 * The format depends on the family of the route, except for 401 and 429, which come from the gateway and are
 * always enveloped.
 */
import { BeforeHistory } from '../../history/sealed/find/stored.ts'
import { isRefusedStatement, isRetryable, sqlCode } from '../../sql/db.ts'
import { HistoryLost } from '../../sql/history.ts'
import { JobFailed, JobsUnavailable } from '../../streams/jobs/job.ts'
import { isUnanswered } from '../../streams/nats/jetstream.ts'

/**
 * Format of a route's errors: /swaps routes are flat, /graphql, /udf and /mcp use their protocols' formats (/mcp for the
 * message only), the rest are enveloped; `filters` are routes that report a rejected parameter as a plain text.
 */
export type Family = 'enveloped' | 'swaps' | 'filters' | 'graphql' | 'udf' | 'mcp'
/** How an error is written. */
export type ErrorShape = 'enveloped' | 'flat' | 'text' | 'graphql' | 'udf' | 'rpc'

/** Errors of JSON-RPC. */
export const RPC_CODES = {
  parse: -32_700,
  invalid: -32_600,
  internal: -32_603,
  refused: -32_000,
} as const

type Entry = {
  readonly status: number
  /** `error.code` of the enveloped object. */
  readonly code: string
  /** `error` of the flat object of /swaps routes, and its status where that differs. */
  readonly flat: string
  readonly flatStatus?: number
}

const entry = (status: number, code: string, flat: string, flatStatus?: number): Entry =>
  flatStatus === undefined ? { status, code, flat } : { status, code, flat, flatStatus }

export const CATALOGUE = {
  UNAUTHORIZED: entry(401, 'UNAUTHORIZED', 'invalid_parameter'),
  FORBIDDEN: entry(403, 'FORBIDDEN', 'invalid_parameter'),
  RATE_LIMIT_EXCEEDED: entry(429, 'RATE_LIMIT_EXCEEDED', 'service_unavailable'),
  INVALID_PARAM: entry(400, 'INVALID_PARAM', 'invalid_parameter'),
  MISSING_PARAM: entry(400, 'MISSING_PARAM', 'invalid_parameter'),
  /** The route answers of now only. */
  AS_OF_UNSUPPORTED: entry(400, 'AS_OF_UNSUPPORTED', 'invalid_parameter'),
  /** A back-test that is too large, decided from counts. */
  TOO_MANY_ORDERS: entry(422, 'TOO_MANY_ORDERS', 'invalid_parameter'),
  /** The moment needs more than may be folded in a request. */
  AS_OF_TOO_COSTLY: entry(422, 'AS_OF_TOO_COSTLY', 'invalid_parameter'),
  /** The answer needs swaps that were dropped. */
  AS_OF_BEFORE_HISTORY: entry(422, 'AS_OF_BEFORE_HISTORY', 'invalid_parameter'),
  NOT_FOUND: entry(404, 'NOT_FOUND', 'not_found'),
  /** The path exists with other methods. */
  METHOD_NOT_ALLOWED: entry(405, 'METHOD_NOT_ALLOWED', 'invalid_parameter'),
  UNAVAILABLE: entry(503, 'UNAVAILABLE', 'service_unavailable'),
  GATEWAY_TIMEOUT: entry(504, 'GATEWAY_TIMEOUT', 'service_unavailable', 503),
  /** A statement that failed although the database is there. */
  DATABASE: entry(500, 'INTERNAL', 'database_error'),
  INTERNAL: entry(500, 'INTERNAL', 'internal_error'),
} as const satisfies Record<string, Entry>

export type ErrorCode = keyof typeof CATALOGUE

/** Errors of a route with a required parameter that reads the database. */
export const READ_ERRORS = [
  'INVALID_PARAM',
  'MISSING_PARAM',
  'GATEWAY_TIMEOUT',
  'UNAVAILABLE',
  'INTERNAL',
] as const satisfies readonly ErrorCode[]

/** Codes that are the gateway's own: one shape on every route. */
const GATEWAY_CODES: ReadonlySet<ErrorCode> = new Set(['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'])
/** Codes about a parameter that is invalid or missing. */
const PARAMETER_CODES: ReadonlySet<ErrorCode> = new Set([
  'INVALID_PARAM',
  'MISSING_PARAM',
  'AS_OF_UNSUPPORTED',
])
/** Seconds after which a retry makes sense (Retry-After). */
const RETRY_AFTER_SECONDS = 1

type ApiErrorOptions = ErrorOptions & {
  headers?: Record<string, string>
  /** Where it is another than the code's. */
  status?: number
  /** Fields next to the text. */
  details?: Record<string, unknown>
  /** Newer data may have an answer: a server that lags leaves the request to the primary. */
  isOfAge?: boolean
}

export class ApiError extends Error {
  readonly code: ErrorCode
  /** Above those that every error of its status has. */
  readonly headers: Record<string, string>
  readonly status: number | undefined
  readonly details: Record<string, unknown>
  readonly isOfAge: boolean

  constructor(code: ErrorCode, text: string, options: ApiErrorOptions = {}) {
    super(text, options)
    this.name = 'ApiError'
    this.code = code
    this.headers = options.headers ?? {}
    this.status = options.status
    this.details = options.details ?? {}
    this.isOfAge = options.isOfAge ?? false
  }
}

type Rendered = {
  status: number
  body: Record<string, unknown>
  headers: Record<string, string>
}

export function statusOf(code: ErrorCode, family: Family): number {
  const { status, flatStatus }: Entry = CATALOGUE[code]
  return shapeOf(code, family) === 'flat' ? (flatStatus ?? status) : status
}

export function renderError(error: ApiError, family: Family): Rendered {
  const { code, message, details } = error
  const { code: name, flat } = CATALOGUE[code]
  const status = error.status ?? statusOf(code, family)
  const bodies: Record<ErrorShape, Record<string, unknown>> = {
    enveloped: { success: false, error: { code: name, message, ...details } },
    flat: { error: flat, message, ...details },
    text: { success: false, data: null, error: message },
    graphql: { errors: [{ message, extensions: { code: name, ...details } }] },
    udf: { s: 'error', errmsg: message },
    rpc: { jsonrpc: '2.0', id: null, error: { code: rpcCodeOf(error), message } },
  }
  const body = bodies[shapeOf(code, family)]
  const headers: Record<string, string> = {}
  if (status === 503 || status === 429) headers['Retry-After'] = String(RETRY_AFTER_SECONDS)
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer'
  return { status, body, headers: { ...headers, ...error.headers } }
}

/** JSON that cannot be parsed has a code of its own. */
function rpcCodeOf({ cause }: ApiError): number {
  return cause instanceof SyntaxError ? RPC_CODES.parse : RPC_CODES.invalid
}

export function shapeOf(code: ErrorCode, family: Family): ErrorShape {
  if (GATEWAY_CODES.has(code)) return 'enveloped'
  if (family === 'swaps') return 'flat'
  if (family === 'graphql' || family === 'udf') return family
  if (!PARAMETER_CODES.has(code)) return 'enveloped'
  if (family === 'mcp') return 'rpc'
  return family === 'filters' ? 'text' : 'enveloped'
}

/** SQLSTATE of a statement that the server cancelled: its time was up. */
const QUERY_CANCELED = '57014'

/** Whether its time was up, by the database's clock or by ours. */
function isOutOfTime(error: unknown): boolean {
  if (sqlCode(error) === QUERY_CANCELED) return true
  return error instanceof DOMException && error.name === 'TimeoutError'
}

/**
 * Maps any error to the one reported to the client; the original stays as the cause, for the log. An error that is not known
 * is a bug: 500. Only evidence of a server that is away, or that refuses for now, makes it 503.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof JobsUnavailable) {
    return new ApiError('UNAVAILABLE', 'failed to enqueue a background job: retry later', {
      cause: error,
    })
  }
  if (error instanceof JobFailed) {
    return new ApiError('UNAVAILABLE', 'a required background computation failed: retry later', {
      cause: error,
    })
  }
  if (isOutOfTime(error)) {
    return new ApiError('GATEWAY_TIMEOUT', 'the query took too long: try again', { cause: error })
  }
  if (error instanceof HistoryLost) {
    return new ApiError('UNAVAILABLE', error.message, { cause: error })
  }
  if (error instanceof BeforeHistory) {
    const { slot, ms } = error.since
    const details = { history_since: { slot, timestamp: ms } }
    return new ApiError('AS_OF_BEFORE_HISTORY', error.message, { cause: error, details })
  }
  if (isUnanswered(error)) {
    return new ApiError('UNAVAILABLE', 'NATS does not answer: try again', { cause: error })
  }
  if (isRetryable(error)) {
    return new ApiError('UNAVAILABLE', 'the database cannot be reached: try again', {
      cause: error,
    })
  }
  return isRefusedStatement(error)
    ? new ApiError('DATABASE', 'a query failed', { cause: error })
    : new ApiError('INTERNAL', 'internal server error', { cause: error })
}

/** Whether the server itself failed, rather than the client or another server: its cause belongs in the log. */
export const isBug = ({ code }: ApiError): boolean => CATALOGUE[code].status === 500
