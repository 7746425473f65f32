/**
 * How an answer that is kept goes out: X-Cache, ETag and Cache-Control, and 304 without a body for a
 * client that has it already. Private: whoever asks needs a key.
 */
import type { Context } from 'koa'
import type { Served } from './cache.ts'

type Answering = Pick<Context, 'get' | 'set' | 'status' | 'body'>

export function answerKept(context: Answering, { body, etag, isHit, secondsLeft }: Served): void {
  context.set('X-Cache', isHit ? 'hit' : 'miss')
  context.set('ETag', etag)
  context.set('Cache-Control', `private, max-age=${secondsLeft}`)
  if (isKnown(context.get('If-None-Match'), etag)) context.status = 304
  else context.body = body
}

/** Tags are compared weakly: what one encoding of the answer brought is good for another. */
function isKnown(header: string, etag: string): boolean {
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '')
  const tags = header.split(',').map(bare)
  return tags.includes(bare(etag)) || tags.includes('*')
}
