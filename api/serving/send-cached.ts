/**
 * How an answer that is kept goes out: X-Cache, ETag and Cache-Control, compressed as it is kept, and 304
 * without a body for a client that has it already. Private: whoever asks needs a key.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Served } from '../gateway/cache/cache.ts'
import { encodingOf } from '../http/compression.ts'

type Answering = {
  req: IncomingMessage
  res: ServerResponse
  /** Told what became of it. */
  state: { kept?: 'hit' | 'miss' }
}

/**
 * Writes the answer itself, whether Koa knows of the request or not. `headers` are those of an answer that has
 * none yet, names and values in turn: written at once they are cheaper than one by one.
 */
export async function sendCached(
  { req, res, state }: Answering,
  served: Served,
  headers: string[] = [],
): Promise<void> {
  const { kept, isHit, secondsLeft } = served
  const isUnchanged = isKnown(req.headers['if-none-match'], kept.etag)
  const encoding = isUnchanged ? undefined : encodingOf(req, kept.bytes)
  const body = encoding === undefined ? kept.body : await kept.encoded(encoding)
  state.kept = isHit ? 'hit' : 'miss'
  headers.push('X-Cache', state.kept)
  headers.push('ETag', kept.etag, 'Cache-Control', `private, max-age=${secondsLeft}`)
  // The head leaves here, before who bounds bodies could say it.
  if (!req.complete) headers.push('Connection', 'close')
  if (isUnchanged) {
    res.writeHead(304, headers).end()
    return
  }
  if (encoding !== undefined) headers.push('Content-Encoding', encoding)
  const bytes = typeof body === 'string' ? kept.bytes : body.length
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(bytes))
  res.writeHead(200, headers).end(body)
}

/** Tags are compared weakly: what one encoding of the answer brought is good for another. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '')
  const tags = header.split(',').map(bare)
  return tags.includes(bare(etag)) || tags.includes('*')
}
