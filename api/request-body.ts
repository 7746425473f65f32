/**
 * Bodies of requests. None but GraphQL reads one: the others answer without it, and then the connection
 * ends, so that nobody sends on for nothing.
 */
import type { Middleware } from 'koa'
import { ApiError } from './error.ts'

/** Bytes of a body that is read. */
export const BODY_BYTES_MAX = 64 * 1024

/** Refuses a body that says it is too long; ends a connection whose body was not read. */
export function boundBodies(): Middleware {
  return async (context, next) => {
    const { req: incoming } = context
    try {
      if (Number(incoming.headers['content-length'] ?? 0) > BODY_BYTES_MAX) {
        throw new ApiError('INVALID_PARAM', `the body is over ${BODY_BYTES_MAX} bytes`)
      }
      await next()
    } finally {
      if (!incoming.complete) context.set('Connection', 'close')
    }
  }
}
