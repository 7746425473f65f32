// A WebSocket client of plain TCP for the tests: sends any bytes, well formed or not, and reads the server's frames.

import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'
import { until } from '../../support/workers/pipeline.ts'

type RawFrame = { opcode: number; payload: Buffer }

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const FIN = 0x80
const RSV1 = 0x40
/** The code of RFC 6455 for a close frame without a code. */
const NO_CODE = 1005

type FrameOptions = {
  isFinal?: boolean
  isMasked?: boolean
  /** RSV1 to RSV3, as in the first byte. */
  reserved?: number
  /** The length that the header claims; absent: the payload's. */
  claimed?: bigint
}

/** A client's frame. */
export function rawFrame(
  opcode: number,
  payload: Uint8Array | string,
  options: FrameOptions = {},
): Buffer {
  const { isFinal = true, isMasked = true, reserved = 0 } = options
  const bytes = Buffer.from(payload as string)
  const length = options.claimed ?? BigInt(bytes.length)
  const mask = isMasked ? 0x80 : 0
  const first = (isFinal ? FIN : 0) | reserved | opcode
  let head: Buffer
  if (length < 126n) head = Buffer.from([first, mask | Number(length)])
  else if (length < 65_536n) {
    head = Buffer.from([first, mask | 126, 0, 0])
    head.writeUInt16BE(Number(length), 2)
  } else {
    head = Buffer.from([first, mask | 127, 0, 0, 0, 0, 0, 0, 0, 0])
    head.writeBigUInt64BE(length, 2)
  }
  // Masked by zeros.
  return Buffer.concat([head, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), bytes])
}

export const rawText = (request: object): Buffer => rawFrame(OPCODES.text, JSON.stringify(request))
export const compressedFrame = (payload: Uint8Array): Buffer =>
  rawFrame(OPCODES.text, payload, { reserved: RSV1 })

export class RawClient {
  readonly frames: RawFrame[] = []
  /** The server ended the connection, or it broke. */
  isOver = false
  /** Whether the client answers pings of the server. */
  answersPings = true
  private readonly socket: Socket
  private held = Buffer.alloc(0)
  private isOpen = false

  constructor(url: string, options: { isCompressed?: boolean } = {}) {
    const { port, pathname, search } = new URL(url)
    this.socket = connect({ port: Number(port), host: '127.0.0.1' })
    this.socket.on('error', () => {})
    this.socket.on('data', (part) => this.read(part))
    this.socket.once('close', () => {
      this.isOver = true
    })
    const lines = [
      `GET ${pathname}${search} HTTP/1.1`,
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ...(options.isCompressed ? ['Sec-WebSocket-Extensions: permessage-deflate'] : []),
    ]
    this.socket.write([...lines, '', ''].join('\r\n'))
  }

  send(...parts: Uint8Array[]): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(parts))
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** The server's frames as JSON, uncompressed ones only. */
  get reported(): Record<string, unknown>[] {
    return this.frames
      .filter(({ opcode }) => opcode === OPCODES.text)
      .map(({ payload }) => JSON.parse(String(payload)) as Record<string, unknown>)
  }

  /** Code of the server's close frame, 1005 where it has none; undefined: no frame came. */
  get closeCode(): number | undefined {
    const frame = this.frames.find(({ opcode }) => opcode === OPCODES.close)
    if (frame === undefined) return undefined
    return frame.payload.length < 2 ? NO_CODE : frame.payload.readUInt16BE(0)
  }

  async untilWelcome(): Promise<void> {
    await until('a welcome', 60_000, () => this.frames.length > 0 || this.isOver)
  }

  private read(part: Buffer): void {
    this.held = Buffer.concat([this.held, part])
    if (!this.isOpen) {
      const end = this.held.indexOf('\r\n\r\n')
      if (end < 0) return
      this.isOpen = true
      this.held = this.held.subarray(end + 4)
    }
    for (let frame = this.next(); frame !== undefined; frame = this.next()) {
      this.frames.push(frame)
      if (frame.opcode === OPCODES.close) {
        this.send(rawFrame(OPCODES.close, frame.payload))
        this.socket.end()
      } else if (frame.opcode === OPCODES.ping && this.answersPings) {
        this.send(rawFrame(OPCODES.pong, frame.payload))
      }
    }
  }

  private next(): RawFrame | undefined {
    const { held } = this
    if (held.length < 2) return undefined
    const short = held.readUInt8(1) & 0x7f
    const wide = short === 126 ? 2 : short === 127 ? 8 : 0
    if (held.length < 2 + wide) return undefined
    const length =
      short === 126 ? held.readUInt16BE(2) : short === 127 ? Number(held.readBigUInt64BE(2)) : short
    const end = 2 + wide + length
    if (held.length < end) return undefined
    this.held = held.subarray(end)
    const payload = Buffer.from(held.subarray(2 + wide, end))
    return { opcode: held.readUInt8(0) & 0x0f, payload }
  }
}

/** A welcomed client, closed with the test. */
export async function rawWelcomed(
  t: Pick<ExecutionContext, 'teardown'>,
  url: string,
  options: { isCompressed?: boolean } = {},
): Promise<RawClient> {
  const client = new RawClient(url, options)
  t.teardown(() => client.destroy())
  await client.untilWelcome()
  return client
}
