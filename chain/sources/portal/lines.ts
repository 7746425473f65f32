/** Lines of a body as they arrive. */
import { type Body, returnBody, takeBody } from '../../rpc/body.ts'
import { ConnectionLost } from '../../rpc/http.ts'

/** Bytes; a longer line is no block. */
const LINE_BYTES_MAX = 64 * 1024 * 1024
const NEWLINE = 0x0a

/**
 * Lines without their ends; empty ones are left out. Throws ConnectionLost after a line without its end. A block is a line of a
 * megabyte: its bytes are copied into a buffer that the next line uses again.
 */
export async function* linesOf(
  body: AsyncIterable<Buffer>,
  bytesMax = LINE_BYTES_MAX,
): AsyncGenerator<string> {
  const begun = takeBody()
  try {
    for await (const chunk of body) {
      let begin = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
        append(begun, chunk.subarray(begin, end), bytesMax)
        begin = end + 1
        if (begun.length > 0) yield takeText(begun)
      }
      append(begun, chunk.subarray(begin), bytesMax)
    }
    if (begun.length > 0) throw new ConnectionLost('the answer ends inside a line')
  } finally {
    returnBody(begun)
  }
}

function append(begun: Body, bytes: Buffer, bytesMax: number): void {
  if (begun.length + bytes.length > bytesMax) throw tooLong(bytesMax)
  begun.append(bytes)
}

/** The text, which no variable of the suspended generator holds. */
function takeText(begun: Body): string {
  const text = begun.bytes.toString('utf8')
  begun.clear()
  return text
}

const tooLong = (bytesMax: number): Error =>
  new ConnectionLost(`a line of the answer has more than ${bytesMax} bytes`)
