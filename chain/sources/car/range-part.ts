/** The body of a response that must have a certain length. */
import { ConnectionLost } from '../../rpc/http.ts'

/** Chunks of exactly so many bytes. Throws ConnectionLost after what came of a shorter body, and before more than that. */
export async function* readPart(
  body: AsyncIterable<Buffer>,
  bytes: number,
): AsyncGenerator<Buffer> {
  let left = bytes
  try {
    for await (const chunk of body) {
      if (chunk.length > left) throw new ConnectionLost('more bytes came than were requested')
      left -= chunk.length
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof ConnectionLost) throw cause
    throw new ConnectionLost('connection lost', { cause })
  }
  if (left > 0) throw new ConnectionLost(`it ended ${left} bytes too early`)
}
