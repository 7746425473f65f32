/**
 * Sends a cached response: X-Cache, ETag and Cache-Control, the body in the encoding that the client accepts, and 304
 * without a body for a client that has it. Cache-Control is private because the request needs a key.
 */
import type { Context } from 'koa'
import type { Served } from '../gateway/cache/cache.ts'
import { encodingOf } from '../http/compression.ts'
import type { RequestState } from './access-log.ts'

type Responding = Pick<Context, 'req' | 'set' | 'status' | 'type' | 'body'> & {
  state: Pick<RequestState, 'cacheOutcome'>
}

export async function sendCached(
  context: Responding,
  { kept, isHit, secondsLeft }: Served,
): Promise<void> {
  const { req, state } = context
  state.cacheOutcome = isHit ? 'hit' : 'miss'
  context.set('X-Cache', state.cacheOutcome)
  context.set('ETag', kept.etag)
  context.set('Cache-Control', `private, max-age=${secondsLeft}`)
  if (matches(req.headers['if-none-match'], kept.etag)) {
    context.status = 304
    return
  }
  const encoding = encodingOf(req, kept.bytes)
  const body = encoding === undefined ? kept.body : await kept.encoded(encoding)
  if (encoding !== undefined) context.set('Content-Encoding', encoding)
  context.type = 'application/json'
  context.body = body
}

/** Tags are compared weakly: the tag of one encoding of a body is valid for another encoding. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '')
  const tags = header.split(',').map(bare)
  return tags.includes(bare(etag)) || tags.includes('*')
}
