/** Bodies of responses, whose memory is used again: blocks come one after the other, and new memory costs page faults. */
import { AnswerTooLong } from './failure.ts'

const BODIES: Body[] = []
const BODIES_MAX = 16
const BODY_BYTES_MAX = 8 * 1024 * 1024
const BODY_BYTES_MIN = 64 * 1024

export const tooLong = (bytesMax: number): AnswerTooLong =>
  new AnswerTooLong(`answer of more than ${bytesMax} bytes`)

/** An empty one. Its holder alone writes to it, and returns it when nothing reads its bytes any more. */
export function takeBody(): Body {
  const body = BODIES.pop() ?? new Body()
  body.clear()
  return body
}

export function returnBody(body: Body): void {
  if (BODIES.length < BODIES_MAX && body.capacity <= BODY_BYTES_MAX) BODIES.push(body)
}

export class Body {
  #buffer = Buffer.alloc(0)
  #length = 0

  get capacity(): number {
    return this.#buffer.length
  }

  get length(): number {
    return this.#length
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#buffer.length) {
      const longer = Buffer.allocUnsafeSlow(
        Math.max(length, 2 * this.#buffer.length, BODY_BYTES_MIN),
      )
      this.#buffer.copy(longer, 0, 0, this.#length)
      this.#buffer = longer
    }
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }
}
