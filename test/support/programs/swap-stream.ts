/**
 * SwapStream for a test: the real server over a pipeline's FEED, keys and Redis, real grpc-js clients, and
 * messages put into FEED as a pool lane would.
 */
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import {
  type ChannelCredentials,
  type Client,
  type ClientReadableStream,
  type ClientUnaryCall,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import type { ExecutionContext } from 'ava'
import type { Redis } from 'ioredis'
import { startSwapStream, type TlsFiles } from '../../../api/feed/grpc/server.ts'
import type { StreamTimes } from '../../../api/feed/grpc/stream-context.ts'
import { type FeedHub, openHub } from '../../../api/feed/log/feed-reader.ts'
import { gapFiller } from '../../../api/feed/log/fill.ts'
import { storedEvents } from '../../../api/feed/log/stored.ts'
import { openStreamSlots } from '../../../api/feed/stream-slots.ts'
import { openGateway } from '../../../api/gateway/gateway.ts'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import type { Tier } from '../../../api/routing/caller.ts'
import { createReader } from '../../../api/routing/reading/reader.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Log } from '../../../domain/log.ts'
import { connect, type Db } from '../../../sql/db.ts'
import { encodeFeedBatch, type FeedEvent } from '../../../streams/codec/event-codec.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { feedSubject } from '../../../streams/nats/subject.ts'
import { testRedis } from '../servers/redis.ts'
import { openPipeline, type Pipeline } from '../workers/pipeline.ts'

export type StreamSource = {
  databaseUrl: string
  natsUrl: string
  redisUrl: string
  prefix: string
  stream: string
  /** Any that is free, unless given. */
  port?: number
  times?: Partial<StreamTimes>
  leaseMs?: number
  renewEveryMs?: number
  watchEveryMs?: number
  ringBytesMax?: number
  tls?: TlsFiles
}

/** For tests that do not test deadlines: longer than a loaded machine stalls. */
const DEADLINE_MS = 60_000

type RunningStream = { port: number; hub: FeedHub; stop(): Promise<void> }

/** The server with its connections, closed together. */
export async function runSwapStream(source: StreamSource, log: Log): Promise<RunningStream> {
  const { databaseUrl, natsUrl, prefix, tls, times } = source
  const db = connect(databaseUrl, { max: 2 })
  const reader = createReader(databaseUrl, { deadlineMs: DEADLINE_MS })
  const jetStream = await connectJetStream(natsUrl, { name: 'swaptide-test', log })
  const stored = storedEvents(reader)
  const fill = gapFiller({ ...source, jetStream, stored })
  const hub = await openHub({ ...source, jetStream, log, fill })
  const streamSlots = openStreamSlots({
    ...source,
    prefix: `${prefix}grpc:`,
    log,
    answerMs: DEADLINE_MS,
  })
  const gateway = await openGateway({ ...source, deadlineMs: DEADLINE_MS, now: Date.now, log })
  const server = await startSwapStream({
    ...gateway,
    hub,
    stored,
    streamSlots,
    now: Date.now,
    log,
    port: source.port ?? 0,
    host: '127.0.0.1',
    ...(times ? { times } : {}),
    ...(tls ? { tls } : {}),
  })
  return {
    port: server.port,
    hub,
    async stop() {
      await server.stop()
      await Promise.all([streamSlots.end(), hub.close()])
      await Promise.all([jetStream.close(), gateway.end(), db.end(), reader.end()])
    },
  }
}

type StreamUnderTest = {
  pipeline: Pipeline
  redis: Redis
  source: StreamSource
  server: RunningStream
  /** A client of the server, or of another port. */
  client(port?: number): SwapStreamClient
  key(tier?: Tier): Promise<{ id: number; key: string }>
}

/** One for this test, ended with it. */
export async function streamUnderTest(
  t: ExecutionContext,
  options: Partial<StreamSource> = {},
): Promise<StreamUnderTest> {
  const pipeline = await openPipeline(t)
  const { redisUrl, redis, drop } = await testRedis()
  t.teardown(drop)
  const { databaseUrl, natsUrl, prefix, topology, recording } = pipeline
  const source: StreamSource = {
    databaseUrl,
    natsUrl,
    redisUrl,
    prefix,
    stream: topology.feed.stream,
    ...options,
  }
  const server = await runSwapStream(source, recording.log)
  t.teardown(() => server.stop())
  return {
    pipeline,
    redis,
    source,
    server,
    client(port = server.port) {
      const opened = openClient(`127.0.0.1:${port}`)
      t.teardown(() => opened.close())
      return opened
    },
    key: (tier = 'free') => makeKey(pipeline.db, tier),
  }
}

async function makeKey(db: Db, tier: Tier): Promise<{ id: number; key: string }> {
  return await createKey(db, { tier, environment: 'test', account: 'test', by: 'test' })
}

export type StreamedSwap = Record<string, string | number>
export type Answer = {
  cursor: string
  event: 'subscribed' | 'swaps' | 'heartbeat' | 'notice'
  subscribed?: { filter: Record<string, unknown>; replay: boolean; tier_locked_filters: string[] }
  swaps?: { n: string; swaps: StreamedSwap[] }
  heartbeat?: { timestamp: string; head: string }
  notice?: { code: string }
}
type AnswerStream = ClientReadableStream<Answer>

type Subscribe = (request: object, metadata: Metadata) => AnswerStream
type Describe = (
  request: object,
  metadata: Metadata,
  callback: (error: ServiceError | null, answer: Record<string, string>) => void,
) => ClientUnaryCall

export type SwapStreamClient = Client &
  Record<'Subscribe', Subscribe> &
  Record<'GetStreamInfo', Describe>

const definition = loadSync('swaptide/v1/swap_stream.proto', {
  includeDirs: [fileURLToPath(new URL('../../../proto', import.meta.url))],
  keepCase: true,
  longs: String,
  oneofs: true,
  defaults: true,
})
type Constructor = new (
  target: string,
  by: ChannelCredentials,
  options?: object,
) => SwapStreamClient

export function openClient(target: string, by = credentials.createInsecure()): SwapStreamClient {
  const { swaptide } = loadPackageDefinition(definition)
  const { SwapStream } = (swaptide as unknown as { v1: { SwapStream: Constructor } }).v1
  return new SwapStream(target, by, { 'grpc.use_local_subchannel_pool': 1 })
}

export function withKey(key: string): Metadata {
  const metadata = new Metadata()
  metadata.set('x-api-key', key)
  return metadata
}

/** The messages of a call until either side ended it. */
export type Subscribed = {
  call: AnswerStream
  answers: Answer[]
  /** Swaps of all answers, in their order. */
  swaps: StreamedSwap[]
  /** Cursor of the last answer. */
  cursor(): string | undefined
  metadata: Promise<Metadata>
  ended: Promise<Ended>
  /** How it ended, once it has. */
  end(): Ended | undefined
}
export type Ended = { code: number; details: string; metadata: Metadata }

export function subscribe(client: SwapStreamClient, key: string, request: object = {}): Subscribed {
  const call = client.Subscribe(request, withKey(key))
  const answers: Answer[] = []
  const swaps: StreamedSwap[] = []
  call.on('data', (answer: Answer) => {
    answers.push(answer)
    swaps.push(...(answer.swaps?.swaps ?? []))
  })
  // The status reports it, too.
  call.on('error', () => {})
  let end: Ended | undefined
  const ended = new Promise<Ended>((resolve) => {
    call.once('status', (reported) => {
      end = reported as Ended
      resolve(end)
    })
  })
  return {
    call,
    answers,
    swaps,
    end: () => end,
    cursor: () => answers.at(-1)?.cursor,
    metadata: new Promise((resolve) => call.once('metadata', resolve)),
    ended,
  }
}

/** A swap, and the tags of its wallet at publication. */
type FedSwap = Swap & { walletTags?: number }

/** Puts the swaps into FEED, a message for each list; answers with the newest sequence. */
export async function feedSwaps(
  { jetStream, prefix, laneCount }: Pick<Pipeline, 'jetStream' | 'prefix' | 'laneCount'>,
  lists: readonly (readonly FedSwap[])[],
): Promise<number> {
  const acks = lists.map((swaps, index) => {
    const [first] = swaps
    if (first === undefined) throw new Error('a message has a swap at least')
    const poolLane = laneOf(first.pairAddress, laneCount)
    const events = swaps.map(
      ({ walletTags = 0, ...swap }): FeedEvent => ({
        kind: 'swap',
        swap,
        poolPrice: swap.poolPrice ?? 0,
        priceImpactBps: null,
        walletTags,
        bytes: undefined,
      }),
    )
    const subject = feedSubject(prefix, first.dex, laneOf(first.user, laneCount), poolLane)
    const payload = encodeFeedBatch({ poolLane, commitNumber: index, part: 0 }, events)
    return jetStream.publish(subject, payload, { id: randomUUID() })
  })
  const stored = await Promise.all(acks)
  return stored.reduce((newest, { sequence }) => Math.max(newest, sequence), 0)
}
