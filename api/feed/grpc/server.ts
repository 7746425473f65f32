/**
 * The gRPC server: SwapStream (proto/swaptide/v1/swap_stream.proto), health and reflection, in the clear or
 * with TLS.
 *
 * Reflection and health need no key (health-reflection.ts). Health reports NOT_SERVING while the tail reader of FEED
 * lags or the server shuts down. `stop` ends every stream with UNAVAILABLE and its cursor, and cuts calls that have not
 * ended in time.
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'
import { protoPath as HEALTH_PROTO } from 'grpc-health-check'
import { slotOf } from '../../../streams/codec/event-codec.ts'
import { writeCursor } from '../../../streams/feed/feed-cursor.ts'
import { authenticate } from '../../gateway/keys/authenticate.ts'
import type { FeedHub } from '../log/feed-reader.ts'
import { addHealth, addReflection } from './health-reflection.ts'
import type { StreamContext, StreamTimes } from './stream-context.ts'
import { carriersOf, toStatus } from './stream-status.ts'
import { type SubscribeCall, serveSubscribe } from './subscribe-call.ts'

/** Address and TLS of the server, and time limits that tests override. */
export type GrpcListening = {
  /** 0: any free port. */
  port: number
  host: string
  tls?: TlsFiles
  times?: Partial<StreamTimes>
}

export type SwapStreamOptions = Omit<StreamContext, 'encode' | 'times'> & GrpcListening

/** Paths of PEM files. */
export type TlsFiles = { certificate: string; key: string }

export type SwapStreamServer = {
  port: number
  /** Open calls of Subscribe. */
  count(): number
  stop(): Promise<void>
}

const PROTO_FOLDER = fileURLToPath(new URL('../../../proto', import.meta.url))
const SWAP_STREAM_PROTO = 'swaptide/v1/swap_stream.proto'
const STREAM_NAME = 'swaptide.v1.SwapStream'
const TIMES: StreamTimes = { slowMs: 30_000, endMs: 10_000, lagMsMax: 10_000, idleMs: 300_000 }
const HEAD_BOUND_MS = 1_000
const SERVER_OPTIONS = {
  // grpc-js ends a larger request with RESOURCE_EXHAUSTED; a filter over its own limit is smaller than this.
  'grpc.max_receive_message_length': 1024 * 1024,
  'grpc.max_concurrent_streams': 1_000,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
}

/** Resolves when the server listens. */
export async function startSwapStream(options: SwapStreamOptions): Promise<SwapStreamServer> {
  const definitions = loadProtos()
  const definition = definitions[STREAM_NAME] as ServiceDefinition
  const encode = definition.Subscribe?.responseSerialize as StreamContext['encode']
  const times = { ...TIMES, ...options.times }
  const context: StreamContext = { ...options, encode, times }
  const draining = new AbortController()
  const running = new Set<Promise<void>>()
  const server = new Server({ ...SERVER_OPTIONS, 'grpc.max_connection_idle_ms': times.idleMs })
  server.addService(withBytes(definition), {
    Subscribe(call: SubscribeCall) {
      const served = serveSubscribe(call, context, draining.signal)
      running.add(served)
      served.finally(() => running.delete(served))
    },
    GetStreamInfo(call: ServerUnaryCall<object, object>, answer: sendUnaryData<object>) {
      describeStream(call, context).then(
        (found) => answer(null, found),
        (error) => {
          const refused = toStatus(error, context.hub)
          if (refused.code === status.INTERNAL)
            context.log.error({ err: error }, 'failed to describe the stream')
          answer(refused)
        },
      )
    },
  } as unknown as UntypedServiceImplementation)
  const isServing = (): boolean => options.hub.tailLagMs() <= times.lagMsMax
  const keyless = { times, draining: draining.signal }
  const endHealth = addHealth(server, ['', STREAM_NAME], isServing, keyless)
  addReflection(server, definitions, keyless)
  const port = await bind(server, options)
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    draining.abort()
    endHealth()
    const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
    await Promise.all(running)
    const bound = setTimeout(() => server.forceShutdown(), times.endMs)
    await closed
    clearTimeout(bound)
  }
  return {
    port,
    count: () => running.size,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

function loadProtos(): PackageDefinition {
  return loadSync([SWAP_STREAM_PROTO, HEALTH_PROTO], {
    includeDirs: [PROTO_FOLDER],
    keepCase: true,
    longs: String,
    defaults: true,
    arrays: true,
    oneofs: true,
  })
}

/** Replaces the serializer of Subscribe: its answers are bytes already. */
function withBytes(definition: ServiceDefinition): ServiceDefinition {
  const subscribe = definition.Subscribe as ServiceDefinition[string]
  return { ...definition, Subscribe: { ...subscribe, responseSerialize: (bytes: Buffer) => bytes } }
}

async function describeStream(call: ServerUnaryCall<object, object>, context: StreamContext) {
  await authenticate(carriersOf(call.metadata), context.ring)
  const { hub } = context
  const { epoch } = hub
  const head = hub.head()
  return {
    epoch,
    first: String(hub.first()),
    head: String(head),
    head_slot: String(await headSlot(hub, head)),
    cursor: writeCursor({ epoch, sequence: head, eventCount: 0 }),
  }
}

async function headSlot(hub: FeedHub, head: number): Promise<number> {
  if (head < hub.first()) return 0
  for await (const batch of hub.readFrom(head, AbortSignal.timeout(HEAD_BOUND_MS))) {
    return batch.events.reduce((greatest, event) => Math.max(greatest, slotOf(event)), 0)
  }
  return 0
}

function bind(server: Server, { host, port, tls }: SwapStreamOptions): Promise<number> {
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [
          { cert_chain: readFileSync(tls.certificate), private_key: readFileSync(tls.key) },
        ])
  const shownHost = host.includes(':') ? `[${host}]` : host
  return new Promise((resolve, reject) => {
    server.bindAsync(`${shownHost}:${port}`, credentials, (error, bound) => {
      if (error === null) resolve(bound)
      else reject(error)
    })
  })
}
