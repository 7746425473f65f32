/**
 * Writes the frames of one WebSocket; those of one event-loop turn go to the kernel in one write.
 *
 * A body that many clients get is encoded once and copied after the head of each client, and frame headers are written
 * here: ws would encode each text again and write two pieces per frame. If the client negotiated compression, frames go
 * through ws, which preserves their order.
 */
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'

/** Field by which Node's sockets detect progress: the callback of a large write comes only when all of it is done. */
type OnHandle = { _handle?: { writeQueueSize?: number } | null }

/** Maximum bytes that wait for the end of the turn. */
const PIECE_BYTES_MAX = 256 * 1024
/** Size of a body from which a separate chunk costs less than copying it. */
const OWN_CHUNK_BYTES = 4 * 1024
/** First byte of a frame header: FIN and opcode text. */
const FINAL_TEXT = 0x81

export class FrameWriter {
  private readonly socket: WebSocket
  private readonly wire: Duplex
  private readonly onSent: () => void
  private readonly isCompressed: boolean
  private heads: string[] = []
  private bodies: Uint8Array[] = []
  private waitingBytes = 0
  private isDue = false

  /** `wire`: the socket of the WebSocket. `onSent`: called when the kernel has taken a write. */
  constructor(socket: WebSocket, wire: Duplex, onSent: () => void) {
    this.socket = socket
    this.wire = wire
    this.onSent = onSent
    this.isCompressed = socket.extensions !== ''
  }

  /** Bytes that the kernel has not taken yet. */
  get unsentBytes(): number {
    return this.waitingBytes + this.socket.bufferedAmount
  }

  /** Bytes of the current write that the kernel has not taken yet; falls as soon as it takes any. */
  get pendingBytes(): number {
    return (this.wire as OnHandle)._handle?.writeQueueSize ?? 0
  }

  /** Sends a text as a frame. */
  text(text: string): void {
    this.frame('', Buffer.from(text))
  }

  /** Sends a frame of two parts; the head is ASCII, the body may be shared and is not changed. */
  frame(head: string, body: Uint8Array): void {
    if (this.socket.readyState !== WebSocket.OPEN) return
    if (this.isCompressed) {
      const whole = head === '' ? body : Buffer.concat([Buffer.from(head, 'latin1'), body])
      this.socket.send(whole, { binary: false }, this.onSent)
      return
    }
    this.heads.push(head)
    this.bodies.push(body)
    const length = head.length + body.length
    this.waitingBytes += length + headerLength(length)
    if (this.waitingBytes >= PIECE_BYTES_MAX) this.flush()
    else if (!this.isDue) {
      this.isDue = true
      process.nextTick(this.atTickEnd)
    }
  }

  /** Answers a ping of the client, after all earlier frames. */
  pong(payload: Uint8Array): void {
    if (this.socket.readyState !== WebSocket.OPEN) return
    this.flush()
    this.socket.pong(payload, false, this.onSent)
  }

  /** Writes the waiting frames; must be called before the WebSocket is closed. */
  flush(): void {
    const { heads, bodies, waitingBytes } = this
    if (heads.length === 0) return
    this.heads = []
    this.bodies = []
    this.waitingBytes = 0
    if (this.socket.readyState !== WebSocket.OPEN) return
    const chunks = chunksOf(heads, bodies, waitingBytes)
    this.wire.cork()
    for (const [index, chunk] of chunks.entries()) {
      if (index < chunks.length - 1) this.wire.write(chunk)
      else this.wire.write(chunk, this.onSent)
    }
    this.wire.uncork()
  }

  private readonly atTickEnd = (): void => {
    this.isDue = false
    this.flush()
  }
}

/** Frames as chunks to write: small ones are copied together, large bodies are passed as they are. */
function chunksOf(
  heads: readonly string[],
  bodies: readonly Uint8Array[],
  bytes: number,
): Uint8Array[] {
  const isLarge = (body: Uint8Array): boolean => body.length >= OWN_CHUNK_BYTES
  const large = bodies.reduce((sum, body) => sum + (isLarge(body) ? body.length : 0), 0)
  const copied = Buffer.allocUnsafe(bytes - large)
  const chunks: Uint8Array[] = []
  let from = 0
  let at = 0
  for (const [index, body] of bodies.entries()) {
    const head = heads[index] as string
    at = writeHeader(copied, at, head.length + body.length)
    if (head !== '') at += copied.write(head, at, 'latin1')
    if (isLarge(body)) {
      chunks.push(copied.subarray(from, at), body)
      from = at
    } else {
      copied.set(body, at)
      at += body.length
    }
  }
  if (at > from) chunks.push(copied.subarray(from, at))
  return chunks
}

function headerLength(length: number): number {
  if (length < 126) return 2
  return length < 65_536 ? 4 : 10
}

/** RFC 6455, 5.2: a server's frames have no mask. */
function writeHeader(piece: Buffer, at: number, length: number): number {
  piece[at] = FINAL_TEXT
  if (length < 126) {
    piece[at + 1] = length
    return at + 2
  }
  if (length < 65_536) {
    piece[at + 1] = 126
    piece.writeUInt16BE(length, at + 2)
    return at + 4
  }
  piece[at + 1] = 127
  piece.writeBigUInt64BE(BigInt(length), at + 2)
  return at + 10
}
