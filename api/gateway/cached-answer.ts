/**
 * How an answer that is kept goes out: X-Cache, ETag and Cache-Control, compressed as it is kept, and 304
 * without a body for a client that has it already. Private: whoever asks needs a key.
 */
import type { Context } from 'koa'
import type { Served } from './cache.ts'
import type { Encoding, Kept } from './kept.ts'

type Answering = Pick<Context, 'req' | 'res' | 'respond' | 'acceptsEncodings'>

/** Bytes from which an answer is compressed for who takes it so. */
export const COMPRESS_FROM_BYTES = 1024

/** Writes the answer itself: Koa has nothing left to do. */
export async function answerKept(context: Answering, served: Served): Promise<void> {
  const { req, res } = context
  const { kept, isHit, secondsLeft } = served
  const isUnchanged = isKnown(req.headers['if-none-match'], kept.etag)
  const encoding = isUnchanged ? undefined : encodingOf(context, kept)
  const body = encoding === undefined ? kept.body : await kept.encoded(encoding)
  res.setHeader('X-Cache', isHit ? 'hit' : 'miss')
  res.setHeader('ETag', kept.etag)
  res.setHeader('Cache-Control', `private, max-age=${secondsLeft}`)
  context.respond = false
  if (isUnchanged) {
    res.statusCode = 304
    res.end()
    return
  }
  res.statusCode = 200
  if (encoding !== undefined) res.setHeader('Content-Encoding', encoding)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', typeof body === 'string' ? kept.bytes : body.length)
  res.end(body)
}

/** br before gzip, whichever the client names first. */
function encodingOf(context: Answering, { bytes }: Kept): Encoding | undefined {
  if (bytes < COMPRESS_FROM_BYTES) return undefined
  const accepted = context.acceptsEncodings()
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding))
}

/** Tags are compared weakly: what one encoding of the answer brought is good for another. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '')
  const tags = header.split(',').map(bare)
  return tags.includes(bare(etag)) || tags.includes('*')
}
