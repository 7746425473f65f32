/**
 * One line of the log a request: its path and its validated parameters, never the raw URL, never a key.
 */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Log } from '../../domain/log.ts'
import type { Admission } from '../gateway/admission-control.ts'
import type { ApiError, Family } from '../routing/error.ts'
import { writeExact } from '../routing/json/json.ts'
import { maskKeys } from '../routing/key-format.ts'
import type { ApiMetrics } from './metrics.ts'

/** State of a request that the middleware collects besides HTTP itself. */
export type RequestState = {
  requestId: string
  /** By performance.now(). */
  beganAt: number
  family?: Family
  route?: string
  keyId?: number
  /** As the schema names them, after validation: nothing else of the URL is logged. */
  parameters?: Record<string, unknown>
  /** Path and parameters as the line has them, where they are known from before. */
  told?: LoggedRequest
  fault?: ApiError
  /** Cache result of a cached response. */
  kept?: 'hit' | 'miss'
  /** Admission of the request, decided once. */
  admission?: Admission
  /** Why not, where that is known already. */
  refusal?: Error
}

export type LoggedRequest = { path: string; parameters: string | undefined }

/** A request as the log may have it. */
export function loggedRequestOf(
  path: string,
  parameters: Record<string, unknown> | undefined,
): LoggedRequest {
  return { path: shownPath(path), parameters: parameters && writeExact(parameters) }
}

/** No path of ours needs an escape, and behind one a key would not be known for what it is. */
export const shownPath = (path: string): string =>
  path.includes('%') ? '(escaped)' : maskKeys(path)

export function beginRequest(): RequestState {
  return { requestId: randomUUID(), beganAt: performance.now() }
}

/** A request that is done: `path` without its query. */
export type Done = { method: string; path: string; res: ServerResponse; state: RequestState }

export type LogRequest = (done: Done) => void

/** The line, and what metrics tell of the request. */
export function requestLogger(log: Log, metrics: ApiMetrics | undefined): LogRequest {
  return ({ method, path, res, state }) => {
    const { requestId, beganAt, route, keyId, fault, kept = '' } = state
    const { told = loggedRequestOf(path, state.parameters) } = state
    const status = res.statusCode
    const durationMs = performance.now() - beganAt
    metrics?.observe({ method, route, status, seconds: durationMs / 1_000, kept })
    const line = {
      requestId,
      method,
      path: told.path,
      route,
      parameters: told.parameters,
      keyId,
      status,
      durationMs: Math.round(durationMs),
    }
    if (res.destroyed) log.info(line, 'client disconnected')
    else if (status >= 500) {
      log.error({ ...line, err: fault?.cause ?? fault }, 'request failed')
    } else log.info(line, 'request')
  }
}
