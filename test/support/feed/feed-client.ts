// A real client of the WebSocket feed for the tests: records its frames, checks each against the schema of its type,
// and follows the gap rule.

import { Ajv, type ValidateFunction } from 'ajv'
import type { ExecutionContext } from 'ava'
import { type ClientOptions, WebSocket } from 'ws'
import { FRAMES } from '../../../api/feed/websocket/protocol/schema.ts'
import { OWN_SCHEMA } from '../../../domain/own-schema.ts'
import { until } from '../workers/pipeline.ts'

export type Received = { type: string } & Record<string, unknown>
type EventFrame = Received & { sub: string; n: number; cursor: string }

const ajv = new Ajv({ ...OWN_SCHEMA, strict: false, validateFormats: false })
const VALIDATORS = new Map<string, ValidateFunction>(
  Object.entries(FRAMES).map(([type, schema]) => [
    type,
    ajv.compile(
      JSON.parse(JSON.stringify(schema, (name, value) => (name === '$id' ? undefined : value))),
    ),
  ]),
)

export class FeedClient {
  readonly socket: WebSocket
  readonly frames: Received[] = []
  /** Errors of frames: must be empty at the end of a test. */
  readonly errors: string[] = []
  closeCode: number | undefined
  private readonly next = new Map<string, number>()

  constructor(url: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, ...options })
    this.socket.on('error', () => {})
    this.socket.on('message', (bytes) => this.take(String(bytes)))
    this.socket.once('close', (code) => {
      this.closeCode = code
    })
  }

  send(request: object): void {
    this.socket.send(JSON.stringify(request))
  }

  of(type: string, sub?: string): Received[] {
    return this.frames.filter(
      (frame) => frame.type === type && (sub === undefined || frame.sub === sub),
    )
  }

  /** The items of a subscription, one after the other. */
  events(sub: string): Record<string, unknown>[] {
    return this.of('data', sub).flatMap((frame) => frame.data as Record<string, unknown>[])
  }

  /** The first frame of the type that came from now on or before. */
  async until(type: string, boundMs = 60_000): Promise<Received> {
    await until(`a frame "${type}"`, boundMs, () => this.of(type).length > 0).catch((cause) => {
      const had = JSON.stringify(this.frames).slice(0, 600)
      throw new Error(`${cause.message}; closed ${this.closeCode}; had ${had}`, { cause })
    })
    return this.of(type).at(-1) as Received
  }

  async untilEvents(sub: string, count: number, boundMs = 60_000): Promise<void> {
    let had = 0
    let frames = 0
    await until(`${count} items of "${sub}"`, boundMs, () => {
      for (; frames < this.frames.length; frames++) {
        const frame = this.frames[frames] as Received
        if (frame.type === 'data' && frame.sub === sub) had += (frame.data as unknown[]).length
      }
      return had >= count
    }).catch((cause) => {
      throw new Error(`${cause.message}; had ${had}; closed ${this.closeCode}`, { cause })
    })
  }

  async untilClosed(boundMs = 60_000): Promise<number> {
    await until('the socket is closed', boundMs, () => this.closeCode !== undefined)
    return this.closeCode as number
  }

  private take(text: string): void {
    const frame = JSON.parse(text) as Received
    this.frames.push(frame)
    const type = frame.type === 'warning' ? 'error' : frame.type
    const validate = VALIDATORS.get(type)
    if (validate === undefined) this.errors.push(`unknown type "${frame.type}"`)
    else if (!validate(frame)) this.errors.push(`${type}: ${ajv.errorsText(validate.errors)}`)
    if (Buffer.byteLength(text) > 64 * 1024) this.errors.push(`a frame of ${text.length} bytes`)
    if (type === 'subscribed') this.next.set(frame.sub as string, 0)
    if (type === 'data') this.follow(frame as EventFrame)
  }

  private follow(frame: EventFrame): void {
    const expected = this.next.get(frame.sub)
    const { length } = frame.data as unknown[]
    if (frame.n !== expected) this.errors.push(`${frame.sub}: n ${frame.n} behind ${expected}`)
    this.next.set(frame.sub, frame.n + length)
  }
}

/** A welcomed client, closed with the test. */
export async function welcomed(
  t: Pick<ExecutionContext, 'teardown'>,
  url: string,
  options?: ClientOptions,
): Promise<FeedClient> {
  const client = new FeedClient(url, options)
  t.teardown(() => client.socket.terminate())
  await client.until('welcome')
  return client
}
