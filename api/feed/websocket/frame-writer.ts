/**
 * Frames out of one WebSocket: those of one turn of the event loop go to the kernel at once.
 *
 * What many clients get is made once and copied behind the part that is each one's own, and a frame's header
 * is written here: ws would encode each text anew and hand the kernel two pieces a frame. Where the client
 * asked for compression the frames go through ws, which keeps their order.
 */
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'

/** What Node's own sockets look at before they count as idle: a write may be large, and is told when all of it is done. */
type OnHandle = { _handle?: { writeQueueSize?: number } | null }

/** Bytes that wait for the end of the turn, at most. */
const PIECE_BYTES_MAX = 256 * 1024
/** Bodies from which on handing them to the kernel as they are costs less than copying them. */
const OWN_CHUNK_BYTES = 4 * 1024
/** The last frame of a message, of text. */
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

  /** `wire`: the socket that the WebSocket speaks on. `onSent`: the kernel took what was written before. */
  constructor(socket: WebSocket, wire: Duplex, onSent: () => void) {
    this.socket = socket
    this.wire = wire
    this.onSent = onSent
    this.isCompressed = socket.extensions !== ''
  }

  /** Bytes that the kernel has not taken. */
  get unsentBytes(): number {
    return this.waitingBytes + this.socket.bufferedAmount
  }

  /** Of the write that is under way, bytes that the kernel has not taken: fewer, as soon as it takes any. */
  get pendingBytes(): number {
    return (this.wire as OnHandle)._handle?.writeQueueSize ?? 0
  }

  /** Any text as a frame. */
  text(text: string): void {
    this.frame('', Buffer.from(text))
  }

  /** A frame of two parts; the head is ASCII, the body may be shared: it is not changed. */
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
      process.nextTick(this.atEndOfTurn)
    }
  }

  /** The answer to a ping of the client, after what was written before. */
  pong(payload: Uint8Array): void {
    if (this.socket.readyState !== WebSocket.OPEN) return
    this.flush()
    this.socket.pong(payload, false, this.onSent)
  }

  /** To be called before the WebSocket is closed. */
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

  private readonly atEndOfTurn = (): void => {
    this.isDue = false
    this.flush()
  }
}

/** Frames as the kernel gets them: small ones copied behind each other, large bodies as they are. */
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
