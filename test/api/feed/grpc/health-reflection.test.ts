/** Requests to the gRPC server without a key: health and reflection have bounded costs. */
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  status,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import test, { type ExecutionContext } from 'ava'
import { protoPath } from 'grpc-health-check'
import { runSwapStream, streamUnderTest } from '../../../support/programs/swap-stream.ts'
import { until } from '../../../support/workers/pipeline.ts'

const STREAM = 'swaptide.v1.SwapStream'
const WATCHES_MAX = 200
const REFLECTIONS_MAX = 32

type Health = {
  watch(request: Record<'service', string>): ClientReadableStream<{ status: string }>
  close(): void
}
type HealthConstructor = new (
  target: string,
  by: ReturnType<typeof credentials.createInsecure>,
  options: object,
) => Health

/** Watches by a connection of their own. */
function watcherOf(t: ExecutionContext, port: number) {
  const { grpc } = loadPackageDefinition(loadSync(protoPath, { enums: String, defaults: true }))
  const { v1 } = (grpc as unknown as { health: { v1: { Health: HealthConstructor } } }).health
  const by = credentials.createInsecure()
  const client = new v1.Health(`127.0.0.1:${port}`, by, { 'grpc.use_local_subchannel_pool': 1 })
  t.teardown(() => client.close())
  return (name: string) => {
    const call = client.watch({ service: name })
    const received: string[] = []
    let ended: { code: number; details: string } | undefined
    call.on('data', (answer) => received.push(answer.status))
    call.on('error', () => {})
    call.once('status', (reported) => {
      ended = reported
    })
    return { call, received, ended: () => ended }
  }
}

test('a watch receives changes, and ends with the server', async (t) => {
  const { source, pipeline } = await streamUnderTest(t)
  const server = await runSwapStream(source, pipeline.recording.log)
  const watch = watcherOf(t, server.port)
  const watched = ['', STREAM].map(watch)
  await until('both are told', 60_000, () => watched.every(({ received }) => received.length > 0))
  // The server looks at itself twice a second.
  await pause(2_000)
  for (const { received: consumed } of watched) t.deepEqual(consumed, ['SERVING'])
  await server.stop()
  await until('both have ended', 60_000, () => watched.every(({ ended }) => ended() !== undefined))
  for (const { received: arrived, ended } of watched) {
    t.deepEqual(arrived, ['SERVING', 'NOT_SERVING'])
    t.is(ended()?.code, status.UNAVAILABLE)
  }
})

test('refuses a watch of an unknown service, or of a too long name, without repeating the name', async (t) => {
  const { server } = await streamUnderTest(t)
  const watch = watcherOf(t, server.port)
  for (const [name, code] of [
    ['another', status.NOT_FOUND],
    ['x'.repeat(900_000), status.INTERNAL],
  ] as const) {
    const refused = watch(name)
    await until('it is refused', 60_000, () => refused.ended() !== undefined)
    t.is(refused.ended()?.code, code)
    t.true((refused.ended()?.details.length ?? 0) < 100)
    t.deepEqual(refused.received, [])
  }
})

/** Longer than a loaded machine takes to begin them all and to be refused one more. */
const WATCHED_MS = 24_000

test('so many watches are let in at once, each for a time', async (t) => {
  const { server } = await streamUnderTest(t, { times: { idleMs: WATCHED_MS } })
  const watch = watcherOf(t, server.port)
  const watched = Array.from({ length: WATCHES_MAX }, () => watch(''))
  await until('all are told', 60_000, () => watched.every(({ received }) => received.length > 0))
  const refused = watch('')
  await until('one more is refused', 60_000, () => refused.ended() !== undefined)
  t.is(refused.ended()?.code, status.RESOURCE_EXHAUSTED)
  watched[0]?.call.cancel()
  await until('there is room for one', 60_000, async () => {
    const one = watch('')
    await until('it is told', 60_000, () => one.received.length > 0 || one.ended() !== undefined)
    return one.received.length > 0
  })
  await until('all have ended', 60_000, () => watched.every(({ ended }) => ended() !== undefined))
  for (const { ended } of watched.slice(1)) t.is(ended()?.code, status.UNAVAILABLE)
})

/** A message of gRPC, not compressed. */
function framed(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

function openReflection(session: ClientHttp2Session) {
  const call = session.request({
    ':method': 'POST',
    ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  call.on('error', () => {})
  return call
}

/** `list_services: "*"`. */
const QUESTION = framed(Buffer.from([0x3a, 1, 0x2a]))
const QUESTIONS = 20_000

test('reflection reads no further than it is read, and answers all', async (t) => {
  const { server } = await streamUnderTest(t)
  const session = connectHttp2(`http://127.0.0.1:${server.port}`, {
    settings: { initialWindowSize: 0 },
  })
  t.teardown(() => session.destroy())
  const call = openReflection(session)
  call.end(Buffer.concat(Array(QUESTIONS).fill(QUESTION)))
  await once(call, 'response')
  let answered = 0
  let rest = Buffer.alloc(0)
  call.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      rest = rest.subarray(5 + rest.readUInt32BE(1))
      answered++
    }
  })
  await pause(1_000)
  // The rest stays in the client: the server's window for one call is 64 KiB.
  t.is(answered, 0)
  t.true(call.bufferSize > 20_000, `${call.bufferSize} bytes are not taken`)
  session.settings({ initialWindowSize: 65_535 })
  await until('all are answered', 60_000, () => answered === QUESTIONS)
})

test('refuses reflection calls beyond the concurrent maximum', async (t) => {
  const { server } = await streamUnderTest(t)
  const session = connectHttp2(`http://127.0.0.1:${server.port}`)
  t.teardown(() => session.destroy())
  const calls = Array.from({ length: REFLECTIONS_MAX }, () => openReflection(session))
  for (const call of calls) call.write(QUESTION)
  await Promise.all(calls.map((call) => once(call, 'data')))
  const statusOf = async (call: ReturnType<typeof openReflection>): Promise<number> => {
    const [headers] = await once(call, 'response')
    return Number(headers['grpc-status'])
  }
  t.is(await statusOf(openReflection(session)), status.RESOURCE_EXHAUSTED)
  calls[0]?.close()
  await until('there is room for one', 60_000, async () => {
    const one = openReflection(session)
    one.write(QUESTION)
    const headers = (await once(one, 'response'))[0]
    return headers['grpc-status'] === undefined
  })
})
