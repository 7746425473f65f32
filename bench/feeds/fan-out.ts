/**
 * Cost of the feeds by event and reader: FEED is written at full speed, every reader subscribes to all of it. The rate
 * is that of one core: events received by all readers for each second of the API's CPU, independent of other programs;
 * readers and writer are separate programs.
 */
import { createKey } from '../../api/gateway/keys/keys.ts'
import { encodeFeedBatch } from '../../streams/codec/event-codec.ts'
import { feedSubject } from '../../streams/nats/subject.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, type Sample } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import type { ApiGiven, ApiMessage } from '../programs/api-program.ts'
import type {
  ReadersMessage,
  ReadersReport,
  ReadersRequest,
} from '../programs/feed-readers-program.ts'
import { type Program, startProgram } from '../programs/program.ts'
import type { Stage } from '../stage.ts'
import { feedEvent } from '../test-support.ts'

const WAYS = [
  { transport: 'websocket', readers: 50, size: 1, messages: 10_000, goal: '>= 200,000' },
  { transport: 'websocket', readers: 50, size: 10, messages: 5_000, goal: '>= 1,200,000' },
  { transport: 'grpc', readers: 15, size: 1, messages: 8_000, goal: '' },
  { transport: 'grpc', readers: 15, size: 10, messages: 5_000, goal: '>= 150,000' },
] as const
type Way = (typeof WAYS)[number]
/** Before anything is counted: code is compiled, connections are warm. */
const WARM_UP_MESSAGES = 1_500
/** Messages on their way to the stream at once. */
const AT_ONCE = 250
const NAMES = { websocket: 'WebSocket', grpc: 'gRPC' }
const figureOf = ({ transport, size }: Way): string =>
  `fan-out, ${NAMES[transport]}, messages of ${size}, by the core`

export const fanOut: Measurement = {
  name: 'fan-out',
  figures: WAYS.map((way) => ({
    figure: figureOf(way),
    unit: 'events/s',
    ...(way.goal === '' ? {} : { goal: way.goal }),
  })),
  round: async (context) => {
    const samples: Sample[] = []
    for (const way of WAYS) {
      samples.push(await context.stages.use((stage) => play(context, stage, way)))
    }
    return samples
  },
}

export type FeedApi = { api: Program<ApiMessage>; url: string; grpcPort: number; key: string }

/** The API with its feeds over a stage, and an unlimited key. */
export async function startFeedApi(
  { stack, workerFlags }: BenchContext,
  stage: Stage,
): Promise<FeedApi> {
  const { databaseUrl, natsUrl } = stage
  const given = { databaseUrl, natsUrl, redisUrl: stack.redisUrl, prefix: stage.topology.prefix }
  const api = startProgram<ApiMessage>('api-program.ts', given satisfies ApiGiven, workerFlags)
  const { url, grpcPort = 0 } = await api.receive('ready')
  const wanted = { tier: 'enterprise', environment: 'test', account: 'b', by: 'bench' } as const
  const { key } = await createKey(stage.db, wanted)
  return { api, url, grpcPort, key }
}

export function startReaders(
  { url, grpcPort, key }: FeedApi,
  request: Omit<ReadersRequest, 'url' | 'key'>,
): Program<ReadersMessage> {
  const target = request.transport === 'grpc' ? `127.0.0.1:${grpcPort}` : url
  const options = { ...request, url: target, key } satisfies ReadersRequest
  return startProgram<ReadersMessage>('feed-readers-program.ts', options)
}

export const sendToReaders = (readers: Program<ReadersMessage>, report: ReadersReport): void =>
  readers.send(report)

async function play(context: BenchContext, stage: Stage, way: Way): Promise<Sample> {
  const { transport, readers: count, size, messages } = way
  const feedApi = await startFeedApi(context, stage)
  const readers = startReaders(feedApi, { transport, count })
  try {
    await readers.receive('joined')
    const warm = WARM_UP_MESSAGES * size
    await writeSwaps(stage, 0, WARM_UP_MESSAGES, size)
    await untilHad(readers, warm)
    const meter = startMeter({ API: feedApi.api.pid })
    await writeSwaps(stage, warm, messages, size)
    await untilHad(readers, warm + messages * size)
    const received = messages * size * count
    const cpu = meter.perSwap(received)
    return { figure: figureOf(way), value: 1e6 / (cpu.API ?? Number.NaN), cpu }
  } finally {
    await readers.stop()
    await feedApi.api.stop()
  }
}

export async function untilHad(readers: Program<ReadersMessage>, swaps: number): Promise<void> {
  const received = readers.receive('had')
  sendToReaders(readers, { expected: swaps })
  expectEqual('swaps that each reader had', (await received).swaps, swaps)
}

/** Messages of `size` swaps each, numbered through from `from`. */
export async function writeSwaps(
  { jetStream, topology }: Pick<Stage, 'jetStream' | 'topology'>,
  from: number,
  messages: number,
  size: number,
): Promise<void> {
  for (let done = 0; done < messages; done += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, messages - done) }, (_, at) => {
      const first = from + (done + at) * size
      const events = Array.from({ length: size }, (__, index) =>
        feedEvent(swapNumber(first + index)),
      )
      const mark = { poolLane: 0, commitNumber: first + 1, part: 0 }
      const subject = feedSubject(topology.prefix, 1, at % 4, 0)
      return jetStream.publish(subject, encodeFeedBatch(mark, events))
    })
    await Promise.all(some)
  }
}

/** Every tenth event of feedEvent() is no swap. */
const swapNumber = (n: number): number => Math.floor(n / 9) * 10 + (n % 9)
