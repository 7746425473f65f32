/**
 * Messages of a gRPC stream from chunks of bytes: one byte for compression, four of length, the message. Pure, but for
 * the bytes of an incomplete message, which it holds.
 */
import { WireError } from '../../../streams/codec/protobuf.ts'

const PREFIX_BYTES = 5

export class FrameReader {
  readonly #messageBytesMax: number
  #held: Buffer[] = []
  #heldBytes = 0
  /** Bytes without which nothing more can be read. */
  #neededBytes = PREFIX_BYTES

  constructor(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax
  }

  /** Passes on the messages that the chunk completes. Throws WireError. */
  push(chunk: Buffer, onMessage: (message: Buffer) => void): void {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes < this.#neededBytes) return
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held, this.#heldBytes)
    let at = 0
    while (bytes.length - at >= this.#neededBytes) {
      if (this.#neededBytes === PREFIX_BYTES) {
        this.#neededBytes += this.#lengthAt(bytes, at)
        if (bytes.length - at < this.#neededBytes) break
      }
      const end = at + this.#neededBytes
      this.#neededBytes = PREFIX_BYTES
      onMessage(bytes.subarray(at + PREFIX_BYTES, end))
      at = end
    }
    this.#held = at < bytes.length ? [bytes.subarray(at)] : []
    this.#heldBytes = bytes.length - at
  }

  /** Whether the stream may end here. */
  get isBetweenMessages(): boolean {
    return this.#heldBytes === 0
  }

  #lengthAt(bytes: Buffer, at: number): number {
    if (bytes[at] !== 0) throw new WireError('message is compressed: expected none that is')
    const length = bytes.readUInt32BE(at + 1)
    if (length <= this.#messageBytesMax) return length
    throw new WireError(`message has ${length} bytes, expected at most ${this.#messageBytesMax}`)
  }
}

/** A message with its prefix. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(PREFIX_BYTES + message.length)
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, PREFIX_BYTES)
  return frame
}
