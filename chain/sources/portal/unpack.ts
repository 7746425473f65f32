/**
 * The unpacked bytes of a response, as they arrive. A body that ends inside a frame, or is no such frame, throws
 * ConnectionLost after everything before it.
 *
 * An answer of several workers is a sequence of zstd frames. The decompressor of Node ends at the first frame that does not
 * end with a chunk of its input, so its input is cut at the ends of frames (zstd-frames.ts).
 */
import { Readable, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { ConnectionLost } from '../../rpc/http.ts'
import { ZstdFrames } from './zstd-frames.ts'

type Bytes = AsyncIterable<Buffer>

/** `encoding`: the response's content-encoding, '' without one. Throws ConnectionLost. */
export function unpacked(body: Bytes, encoding: string): Bytes {
  if (encoding === '' || encoding === 'identity') return body
  if (encoding === 'gzip') return through(body, createGunzip())
  if (encoding === 'zstd') return through(cutAtFrames(body), createZstdDecompress())
  throw new ConnectionLost(`content-encoding "${encoding}" was not requested`)
}

async function* through(body: Bytes, unpacker: Transform): Bytes {
  let hasBytes = false
  const source = Readable.from(
    (async function* read() {
      for await (const chunk of body) {
        hasBytes ||= chunk.length > 0
        yield chunk
      }
    })(),
  )
  source.once('error', (error) => unpacker.destroy(error))
  try {
    for await (const chunk of source.pipe(unpacker)) yield chunk as Buffer
  } catch (cause) {
    // No bytes at all are an answer without a block.
    if (hasBytes) throw lost(cause)
  } finally {
    source.destroy()
    unpacker.destroy()
  }
}

const lost = (cause: unknown): Error =>
  cause instanceof ConnectionLost
    ? cause
    : new ConnectionLost('the response cannot be decompressed', { cause })

async function* cutAtFrames(body: Bytes): Bytes {
  const frames = new ZstdFrames()
  for await (const chunk of body) yield* frames.cut(chunk)
  if (frames.isInside) throw new ConnectionLost('the answer ends inside a compressed frame')
}
