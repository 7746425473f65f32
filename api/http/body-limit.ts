/**
 * Limits on request bodies. Only GraphQL, the operator console and batches read one: a GET ignores it, a route that
 * changes something refuses it, because parameters in it would be ignored. The connection is closed after an unread
 * body, so that a client does not go on sending it.
 */
import type { Context, Middleware } from 'koa'
import { ApiError } from '../routing/error.ts'

/** Bytes of a body that is read. */
export const BODY_BYTES_MAX = 64 * 1024

/** Refuses a body whose Content-Length is too large; closes a connection whose body was not read. */
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

/** Refuses a body where parameters are read from the query only. Throws ApiError. */
export function expectNoBody({ req }: Pick<Context, 'req'>): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers
  if (Number(length) === 0 && encoding === undefined) return
  throw new ApiError('INVALID_PARAM', 'the body is not read here: give parameters in the query')
}
