/**
 * How an answer that is kept goes out: X-Cache, ETag and Cache-Control, compressed as it is kept, and 304
 * without a body for a client that has it already. Private: whoever asks needs a key.
 */
import type { Context } from 'koa'
import type { Served } from './cache.ts'
import type { Encoding, Kept } from './kept.ts'

type Answering = Pick<Context, 'req' | 'res' | 'respond' | 'acceptsEncodings'> & {
  /** Told what became of it. */
  state: { kept?: 'hit' | 'miss' }
}

/** Bytes from which an answer is compressed for who takes it so. */
export const COMPRESS_FROM_BYTES = 1024

/**
 * Writes the answer itself: Koa has nothing left to do. `headers` are those of an answer that has none yet,
 * names and values in turn: written at once they are cheaper than one by one.
 */
export async function answerKept(
  context: Answering,
  served: Served,
  headers: string[] = [],
): Promise<void> {
  const { req, res } = context
  const { kept, isHit, secondsLeft } = served
  const isUnchanged = isKnown(req.headers['if-none-match'], kept.etag)
  const encoding = isUnchanged ? undefined : encodingOf(context, kept)
  const body = encoding === undefined ? kept.body : await kept.encoded(encoding)
  context.state.kept = isHit ? 'hit' : 'miss'
  headers.push('X-Cache', context.state.kept)
  headers.push('ETag', kept.etag, 'Cache-Control', `private, max-age=${secondsLeft}`)
  context.respond = false
  if (isUnchanged) {
    res.writeHead(304, headers).end()
    return
  }
  if (encoding !== undefined) headers.push('Content-Encoding', encoding)
  const bytes = typeof body === 'string' ? kept.bytes : body.length
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(bytes))
  res.writeHead(200, headers).end(body)
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
