/**
 * Headers of every response: the id of the request, and CORS for any origin. The key is the only credential of the
 * API, and no browser sends it by itself. It does send the session of the console, but never in a request whose
 * response a page of another origin may read.
 */
import type { Middleware } from 'koa'
import type { MethodsOf } from '../routing/methods.ts'
import type { RequestState } from './access-log.ts'

/** Headers of a response that a page of another origin may read. */
const EXPOSED_HEADERS =
  'Retry-After, X-Request-Id, X-Cache, ETag, RateLimit-Policy, RateLimit, X-RateLimit-Limit, ' +
  'X-RateLimit-Remaining, X-RateLimit-Reset, X-API-Key-Expires'

/** Headers that a page may send: with an ETag it asks whether its response is still current. */
const ALLOWED_HEADERS = 'X-API-Key, Authorization, Content-Type, If-None-Match, Cache-Control'

/** The target of `OPTIONS *`. */
const WHOLE_SERVER = '*'

/**
 * Answers OPTIONS for any path: a preflight succeeds for an unknown path too, so that a page can read the error of the
 * request itself. `Allow` names the methods of the path.
 */
export function allowCrossOrigin(methodsOf: MethodsOf): Middleware<RequestState> {
  return async (context, next) => {
    const { res, state } = context
    res.setHeader('X-Request-Id', state.requestId)
    res.setHeader('Access-Control-Allow-Origin', '*')
    res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS)
    res.setHeader('Vary', 'X-API-Key, Authorization, Accept-Encoding')
    if (context.method !== 'OPTIONS') return next()
    const allowed = methodsOf(context.path)
    const isPreflight = context.get('Access-Control-Request-Method') !== ''
    if (allowed.length > 0) context.set('Allow', allowed.join(', '))
    else if (!isPreflight && context.path !== WHOLE_SERVER) return next()
    context.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, OPTIONS')
    context.set('Access-Control-Allow-Headers', ALLOWED_HEADERS)
    context.set('Access-Control-Max-Age', '86400')
    context.status = 204
  }
}
