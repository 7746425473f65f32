/**
 * Headers of every response: the id of the request, the quota of its caller, and CORS for any origin. The key is the only credential of the
 * API, and no browser sends it by itself. It does send the sessions of the console and of the pages: those count in
 * requests from this origin only, and no page of another origin may read a response that it sent credentials for.
 */
import type { Context, Middleware } from 'koa'
import type { RequestState } from './access-log.ts'
import type { MethodsOf } from './methods.ts'

/** Headers of a response that a page of another origin may read. */
const EXPOSED_HEADERS =
  'Retry-After, X-Request-Id, X-Cache, ETag, Link, X-Next-Cursor, X-As-Of, RateLimit-Policy, RateLimit, X-RateLimit-Limit, ' +
  'X-RateLimit-Remaining, X-RateLimit-Reset, X-API-Key-Expires, X-Data-Age-Ms'

/** Headers that a page may send; If-None-Match revalidates a response by its ETag. */
const ALLOWED_HEADERS =
  'X-API-Key, Authorization, Content-Type, If-None-Match, Cache-Control, Int64'

/** The target of `OPTIONS *`. */
const WHOLE_SERVER = '*'

/** Names and values in turn, in the form of http's writeHead. */
export function commonHeaders({ requestId, admission, readAgeMs }: RequestState): string[] {
  const headers = [
    'X-Request-Id',
    requestId,
    'Access-Control-Allow-Origin',
    '*',
    'Access-Control-Expose-Headers',
    EXPOSED_HEADERS,
    'Vary',
    'X-API-Key, Authorization, Accept, Accept-Encoding, Int64',
  ]
  if (readAgeMs !== undefined) headers.push('X-Data-Age-Ms', String(readAgeMs))
  for (const name in admission?.headers) headers.push(name, admission.headers[name] as string)
  return headers
}

/**
 * Answers OPTIONS for any path: a preflight succeeds for an unknown path too, so that a page can read the error of the
 * request itself. Every response that Koa sends gets the common headers here; a cached one was sent with them.
 */
export function allowCrossOrigin(methodsOf: MethodsOf): Middleware<RequestState> {
  return async (context, next) => {
    const { res, state } = context
    if (context.method !== 'OPTIONS' || !answerOptions(context, methodsOf)) await next()
    if (res.headersSent) return
    const headers = commonHeaders(state)
    for (let at = 0; at < headers.length; at += 2) {
      res.setHeader(headers[at] as string, headers[at + 1] as string)
    }
  }
}

/** `Allow` names the methods of the path. False: the path is unknown, and the request is no preflight. */
function answerOptions(context: Context, methodsOf: MethodsOf): boolean {
  const allowed = methodsOf(context.path)
  const isPreflight = context.get('Access-Control-Request-Method') !== ''
  if (allowed.length > 0) context.set('Allow', allowed.join(', '))
  else if (!isPreflight && context.path !== WHOLE_SERVER) return false
  context.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, OPTIONS')
  context.set('Access-Control-Allow-Headers', ALLOWED_HEADERS)
  context.set('Access-Control-Max-Age', '86400')
  context.status = 204
  return true
}
