/**
 * What every answer says: which request it is of, and that pages of any origin may ask: the key is the only
 * credential, and no browser sends it of itself. The session of the console it does, but never with what a
 * page of another origin may read.
 */
import type { Middleware } from 'koa'
import type { MethodsOf } from '../routing/methods.ts'
import type { RequestState } from './access-log.ts'

/** Response headers that a page of another origin may read. */
const EXPOSED_HEADERS =
  'Retry-After, X-Request-Id, X-Cache, ETag, RateLimit-Policy, RateLimit, X-RateLimit-Limit, ' +
  'X-RateLimit-Remaining, X-RateLimit-Reset, X-API-Key-Expires'

/** What it may send: a page that has an answer asks by its ETag whether there is another. */
const ALLOWED_HEADERS = 'X-API-Key, Authorization, Content-Type, If-None-Match, Cache-Control'

/** The target of `OPTIONS *`. */
const WHOLE_SERVER = '*'

/** Names and values in turn, as http's writeHead takes them. */
export function headersOfAll({ requestId }: RequestState): string[] {
  return [
    'X-Request-Id',
    requestId,
    'Access-Control-Allow-Origin',
    '*',
    'Access-Control-Expose-Headers',
    EXPOSED_HEADERS,
    'Vary',
    'X-API-Key, Authorization, Accept-Encoding',
  ]
}

/**
 * Answers OPTIONS, a preflight of any path, so that a page can read the error of one that is unknown; `Allow` says
 * which methods the path has.
 */
export function allowCrossOrigin(methodsOf: MethodsOf): Middleware<RequestState> {
  return async (context, next) => {
    const { res, state } = context
    const headers = headersOfAll(state)
    for (let at = 0; at < headers.length; at += 2) {
      res.setHeader(headers[at] as string, headers[at + 1] as string)
    }
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
