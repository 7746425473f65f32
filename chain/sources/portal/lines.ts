/** Lines of a body as they arrive. */
import { ConnectionLost } from '../../rpc/http.ts'

/** Bytes; a longer line is no block. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024
const NEWLINE = 0x0a

/** Lines without their ends; empty ones are left out. Throws ConnectionLost after a line without its end. */
export async function* linesOf(
  body: AsyncIterable<Buffer>,
  bytesMax = LINE_BYTES_MAX,
): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    let begin = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
      parts.push(chunk.subarray(begin, end))
      if (length + end - begin > bytesMax) throw tooLong(bytesMax)
      const line = Buffer.concat(parts).toString('utf8')
      parts = []
      length = 0
      begin = end + 1
      if (line !== '') yield line
    }
    // Copied: the chunk may be a small part of a large buffer.
    if (begin < chunk.length) parts.push(Buffer.from(chunk.subarray(begin)))
    length += chunk.length - begin
    if (length > bytesMax) throw tooLong(bytesMax)
  }
  if (length > 0) throw new ConnectionLost('the answer ends inside a line')
}

const tooLong = (bytesMax: number): Error =>
  new ConnectionLost(`a line of the answer has more than ${bytesMax} bytes`)
