/**
 * Access log: one line a request with its path and its validated parameters, never the raw URL, never a key.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Log } from '../../domain/log.ts'
import type { Admission, Entry } from '../gateway/admission-control.ts'
import type { ApiError, Family } from '../routing/error.ts'
import { writeExact } from '../routing/json.ts'
import { maskKeys } from '../routing/key-format.ts'
import type { ApiMetrics } from './metrics.ts'

/** State of a request besides HTTP itself, filled in by the middleware that it passes. */
export type RequestState = {
  requestId: string
  family?: Family
  route?: string
  keyId?: number
  /** Parameters after validation, by the names of the schema: nothing else of the URL is logged. */
  parameters?: Record<string, unknown>
  /** Path and parameters as the line has them, set by the hot path or by Koa. */
  logged?: LoggedRequest
  error?: ApiError
  /** Set for cached routes: whether the response was in the cache. */
  cacheOutcome?: 'hit' | 'miss'
  /** Set where standbys are read: the greatest age of the data that was read, in milliseconds. */
  readAgeMs?: number
  /** Set when the request enters the gate, which happens once a request. */
  entry?: Promise<Entry>
  /** Set when the gate has admitted the request. */
  admission?: Admission
}

export type LoggedRequest = { path: string; parameters: string | undefined }

/** Path and parameters in the form that the log may hold. */
export function loggedRequestOf(
  path: string,
  parameters: Record<string, unknown> | undefined,
): LoggedRequest {
  return { path: shownPath(path), parameters: parameters && writeExact(parameters) }
}

/** No path of the API needs an escape, and an escape would hide a key from the mask. */
export const shownPath = (path: string): string =>
  path.includes('%') ? '(escaped)' : maskKeys(path)

/** A request and its response, before Koa and in it. */
export type Exchange = { req: IncomingMessage; res: ServerResponse; state: RequestState }

type AccessLogDeps = { log: Log; metrics?: ApiMetrics | undefined }

/** First of all: begins the state of the request, and logs and measures it when `serve` has responded. */
export function logAccess(
  { log, metrics }: AccessLogDeps,
  serve: (exchange: Exchange) => Promise<void>,
): RequestListener {
  return async (req, res) => {
    const beganAt = performance.now()
    const state: RequestState = { requestId: randomUUID() }
    await serve({ req, res, state })
    const { method = '' } = req
    const { requestId, route, logged, keyId, error, cacheOutcome = '' } = state
    const status = res.statusCode
    const durationMs = performance.now() - beganAt
    metrics?.observe({ method, route, status, seconds: durationMs / 1_000, cacheOutcome })
    const line = {
      requestId,
      method,
      path: logged?.path,
      route,
      parameters: logged?.parameters,
      keyId,
      status,
      durationMs: Math.round(durationMs),
    }
    if (res.destroyed) log.info(line, 'client disconnected')
    else if (status >= 500) log.error({ ...line, err: error?.cause ?? error }, 'request failed')
    else log.info(line, 'request')
  }
}
