/**
 * Pages of any origin may ask: the key is the only credential, and no browser sends it of itself. The session
 * of the console it does, but never with what a page of another origin may read.
 */
import type { Middleware } from 'koa'

/** What a page of another origin may read of an answer. */
const EXPOSED_HEADERS =
  'Retry-After, X-Request-Id, X-Cache, ETag, RateLimit-Policy, RateLimit, X-RateLimit-Limit, ' +
  'X-RateLimit-Remaining, X-RateLimit-Reset, X-API-Key-Expires'

export function allowCrossOrigin(): Middleware {
  return async (context, next) => {
    const { res } = context
    res.setHeader('Access-Control-Allow-Origin', '*')
    res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS)
    res.setHeader('Vary', 'X-API-Key, Authorization, Accept-Encoding')
    if (context.method !== 'OPTIONS') return next()
    context.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, OPTIONS')
    context.set('Access-Control-Allow-Headers', 'X-API-Key, Authorization, Content-Type')
    context.set('Access-Control-Max-Age', '86400')
    context.status = 204
  }
}
