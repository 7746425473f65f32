/** Other answers of the gRPC server: health, reflection, TLS; and that the API starts it. */
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { credentials, loadPackageDefinition, Metadata } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import test, { type ExecutionContext } from 'ava'
import { protoPath } from 'grpc-health-check'
import protobuf from 'protobufjs'
import { startApi } from '../../../../api/main.ts'
import { SWAP } from '../../../support/events/sample-event.ts'
import {
  feedSwaps,
  openClient,
  streamUnderTest,
  subscribe,
} from '../../../support/programs/swap-stream.ts'
import { CERTIFICATE, tlsFiles } from '../../../support/servers/tls-files.ts'
import { until } from '../../../support/workers/pipeline.ts'

const STREAM = 'swaptide.v1.SwapStream'

type HealthClient = {
  check(request: object, callback: (error: unknown, answer?: { status: string }) => void): void
  close(): void
}
type HealthConstructor = new (
  target: string,
  by: ReturnType<typeof credentials.createInsecure>,
) => HealthClient

function healthOf(
  t: ExecutionContext,
  port: number,
): (name: string) => Promise<string | undefined> {
  const definition = loadSync(protoPath, { enums: String, defaults: true })
  const { grpc } = loadPackageDefinition(definition)
  const { Health } = (grpc as unknown as { health: { v1: { Health: HealthConstructor } } }).health
    .v1
  const client = new Health(`127.0.0.1:${port}`, credentials.createInsecure())
  t.teardown(() => client.close())
  return (name) =>
    new Promise((resolve) => {
      client.check({ service: name }, (_, answer) => resolve(answer?.status))
    })
}

test('health is SERVING, and not while the tail of the log lags', async (t) => {
  const { server } = await streamUnderTest(t)
  const health = healthOf(t, server.port)
  await until('it serves', 60_000, async () => (await health(STREAM)) === 'SERVING')
  await until('all of it serves', 60_000, async () => (await health('')) === 'SERVING')
  t.is(await health('another'), undefined)
  // Without its stream a hub cannot have all that there is.
  const lagging = await streamUnderTest(t, { times: { lagMsMax: 1_500 } })
  const late = healthOf(t, lagging.server.port)
  await until('it does not lag', 60_000, async () => (await late(STREAM)) === 'SERVING')
  const { jetStream, topology } = lagging.pipeline
  await jetStream.manager.streams.delete(topology.feed.stream)
  await until('it lags', 60_000, async () => (await late(STREAM)) === 'NOT_SERVING')
})

test('a connection without a call is ended in time, one with a call stays', async (t) => {
  const { pipeline, server, client, key } = await streamUnderTest(t, { times: { idleMs: 500 } })
  const subscribed = subscribe(client(), (await key()).key)
  await until('it is subscribed', 60_000, () => subscribed.answers.length > 0)
  // One that sends no byte, and one that speaks HTTP/2 without a request.
  const silent = connectSocket(server.port, '127.0.0.1').resume()
  const idle = connectHttp2(`http://127.0.0.1:${server.port}`)
  t.teardown(() => {
    silent.destroy()
    idle.destroy()
  })
  const [, , [code]] = await Promise.all([
    once(silent, 'close'),
    once(idle, 'close'),
    once(idle, 'goaway'),
  ])
  t.is(code, constants.NGHTTP2_NO_ERROR, 'asked to go, by no fault of its own')
  await feedSwaps(pipeline, [[SWAP]])
  await until('the call goes on', 60_000, () => subscribed.swaps.length === 1)
})

type Reflected = {
  listServicesResponse?: { named: { name: string }[] }
  fileDescriptorResponse?: { fileDescriptorProto: Buffer[] }
}

/** One request to the reflection service, like grpcurl's. */
async function reflect(t: ExecutionContext, port: number, question: object): Promise<Reflected> {
  const { root } = protobuf.parse(`
    syntax = "proto3"; package grpc.reflection.v1;
    message ServerReflectionRequest { string host = 1; oneof message_request {
      string file_containing_symbol = 4; string list_services = 7; } }
    message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
    message ServiceResponse { string name = 1; }
    message ListServiceResponse { repeated ServiceResponse named = 1; }
    message ServerReflectionResponse { oneof message_response {
      FileDescriptorResponse file_descriptor_response = 4;
      ListServiceResponse list_services_response = 6; } }`)
  const request = root.lookupType('grpc.reflection.v1.ServerReflectionRequest')
  const answer = root.lookupType('grpc.reflection.v1.ServerReflectionResponse')
  const client = openClient(`127.0.0.1:${port}`)
  t.teardown(() => client.close())
  const call = client.makeBidiStreamRequest(
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    (value: object) => Buffer.from(request.encode(request.fromObject(value)).finish()),
    (bytes) => answer.toObject(answer.decode(bytes)) as Reflected,
    new Metadata(),
  )
  call.write(question)
  const reflected = await new Promise<Reflected>((resolve, reject) => {
    call.once('data', resolve)
    call.once('error', reject)
  })
  call.end()
  return reflected
}

test('reflection lists the services and describes the stream, without a key', async (t) => {
  const { server } = await streamUnderTest(t)
  const listed = await reflect(t, server.port, { listServices: '*' })
  const names = listed.listServicesResponse?.named.map(({ name }) => name) ?? []
  for (const name of [STREAM, 'grpc.health.v1.Health']) t.true(names.includes(name), `${names}`)
  const described = await reflect(t, server.port, { fileContainingSymbol: STREAM })
  const files = described.fileDescriptorResponse?.fileDescriptorProto.map(String).join('') ?? ''
  t.true(files.includes('SubscribeRequest') && files.includes('wallet_tags'))
})

test('with a certificate the server speaks only TLS', async (t) => {
  const { pipeline, server, key } = await streamUnderTest(t, { tls: await tlsFiles(t) })
  const by = credentials.createSsl(Buffer.from(CERTIFICATE))
  const client = openClient(`localhost:${server.port}`, by)
  t.teardown(() => client.close())
  const { key: text } = await key()
  const subscribed = subscribe(client, text)
  await until('it is subscribed', 60_000, () => subscribed.answers.length > 0)
  await feedSwaps(pipeline, [[SWAP]])
  await until('a swap', 60_000, () => subscribed.swaps.length === 1)
  const plain = openClient(`127.0.0.1:${server.port}`)
  t.teardown(() => plain.close())
  const { code } = await subscribe(plain, text).ended
  t.is(code, 14, 'UNAVAILABLE: no connection')
})

test('the API brings SwapStream along, and ends it with itself', async (t) => {
  const { pipeline, source, key } = await streamUnderTest(t)
  const { jetStream, topology, databaseUrl, recording, prefix } = pipeline
  const api = await startApi({
    databaseUrl,
    redisUrl: source.redisUrl,
    prefix,
    port: 0,
    log: recording.log,
    feed: {
      jetStream,
      stream: topology.feed.stream,
      grpc: { host: '127.0.0.1', port: 0 },
    },
  })
  t.teardown(() => api.stop())
  const client = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => client.close())
  const subscribed = subscribe(client, (await key('pro')).key)
  await until('it is subscribed', 60_000, () => subscribed.answers.length > 0)
  await feedSwaps(pipeline, [[SWAP]])
  await until('a swap', 60_000, () => subscribed.swaps.length === 1)
  await api.stop()
  t.is((await subscribed.ended).code, 14)
})
