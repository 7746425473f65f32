// An API of a test with the exchanges of docs/feeds.md: connections that are recorded, and their comparison with the
// document.

import type { ExecutionContext } from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { MINT, POOL, WALLET } from '../events/sample-event.ts'
import { openClient, type SwapStreamClient } from '../programs/swap-stream.ts'
import { publishAll, untilCaughtUp } from '../workers/pipeline.ts'
import type { FeedApi } from './feed-api.ts'
import { FeedClient } from './feed-client.ts'
import { exchangesOf, type RecordedCall, RecordedSocket, type Shown } from './transcript.ts'

export const DOCUMENT = 'docs/feeds.md'
export const DOCUMENTED = exchangesOf(DOCUMENT)
/** Each is played by test/api/feed/documented-frames.test.ts; the document has no other. */
export const EXCHANGES = [
  'first',
  'first-grpc',
  'filter',
  'filter-grpc',
  'update',
  'resume',
  'resume-grpc',
  'slot',
  'slot-grpc',
  'fork',
  'fork-grpc',
  'candles',
  'slow',
  'stalled',
  'stalled-grpc',
  'expired',
  'expired-grpc',
  'epoch',
  'epoch-grpc',
  'gap',
  'gap-grpc',
  'errors',
  'refused',
  'refused-grpc',
  'idle',
] as const
type Exchange = (typeof EXCHANGES)[number]

const bytesOf = (kind: number, length: number, n: number): string =>
  encodeBase58(new Uint8Array(length).fill(kind).fill(n, length - 1))
export const signature = (n: number): string => bytesOf(21, 64, n)
export const block = (n: number): string => bytesOf(22, 32, n)

/** A server of the test with the connections that play exchanges of the document. */
export class Story {
  readonly feed: FeedApi
  readonly names = new Map([
    [MINT, 'MINT'],
    [POOL, 'POOL'],
    [WALLET, 'WALLET'],
    ...Array.from({ length: 40 }, (_, n): [string, string] => [signature(n), `SIGNATURE_${n}`]),
    ...Array.from({ length: 40 }, (_, n): [string, string] => [block(n), `BLOCK_${n}`]),
  ])
  private readonly t: ExecutionContext

  constructor(t: ExecutionContext, feed: FeedApi) {
    this.t = t
    this.feed = feed
    this.names.set(feed.pipeline.topology.feed.epoch, 'EPOCH')
  }

  async key(tier: 'free' | 'pro' = 'pro'): Promise<{ key: string; url: string }> {
    return await this.feed.keyFor(tier)
  }

  async socket(url: string): Promise<RecordedSocket> {
    const client = new FeedClient(url)
    this.t.teardown(() => client.socket.terminate())
    const recorded = new RecordedSocket(client)
    await client.until('welcome')
    return recorded
  }

  stream(port = this.feed.api.grpcPort): SwapStreamClient {
    const client = openClient(`127.0.0.1:${port}`)
    this.t.teardown(() => client.close())
    return client
  }

  /** Publishes events one after the other, each a message of FEED. */
  async publish(...events: readonly Event[]): Promise<void> {
    for (const event of events) {
      await publishAll(this.feed.pipeline, [event])
      await untilCaughtUp(this.feed.pipeline)
    }
  }

  /** The document has this exchange as it passed. */
  compare(name: Exchange, passed: string): void {
    this.t.is(DOCUMENTED.get(name), passed, `exchange "${name}" of ${DOCUMENT}`)
  }

  socketPassed(
    name: Exchange,
    socket: RecordedSocket,
    shown: Shown & { hasWelcome?: boolean } = {},
  ) {
    this.compare(name, socket.take(this.names, shown))
    this.t.deepEqual(socket.client.errors, [])
  }

  callPassed(name: Exchange, call: RecordedCall, shown: Shown = {}): void {
    this.compare(name, call.take(this.names, shown))
  }
}
