/**
 * The example clients after refusals: they end by themselves where a retry would fail again, print their usage, and
 * otherwise reconnect less and less often, until they are signalled.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { feedApi } from '../support/feed/feed-api.ts'
import { startChild } from '../support/programs/feed-server.ts'
import { ownPort } from '../support/servers/own-port.ts'
import { until } from '../support/workers/pipeline.ts'

const WEBSOCKET_CLIENT = join(import.meta.dirname, '../../examples/websocket-client.ts')
const GRPC_CLIENT = join(import.meta.dirname, '../../examples/grpc-client.ts')

function start(t: ExecutionContext, program: string, args: readonly string[]) {
  const child = startChild(t, [program, ...args])
  const said: string[] = []
  child.stderr?.on('data', (part) => said.push(...String(part).trimEnd().split('\n')))
  return { child, said }
}

test('exits the WebSocket client with 1 when a retry would be refused again', async (t) => {
  const { api, keyFor } = await feedApi(t)
  const url = `${api.url.replace('http', 'ws')}/ws/v1`
  const { key } = await keyFor('enterprise')
  const cases: [string[], RegExp][] = [
    [['nonsense'], /^refused with HTTP 401$/],
    [[key, '{"venues":["raydium"]}'], /^INVALID_FILTER: venues "raydium": /],
    [[key, '{}', 'nonsense'], /^CURSOR_INVALID: /],
    [[key, '{}', 'another-5'], /^CURSOR_EPOCH_CHANGED: /],
    [[key, `{"tokens":${JSON.stringify(Array(1_001).fill('a'))}}`], /^FILTER_TOO_LARGE: /],
  ]
  for (const [args, line] of cases) {
    const { child, said } = start(t, WEBSOCKET_CLIENT, [url, ...args])
    t.deepEqual(await once(child, 'close'), [1, null])
    t.regex(said[0] ?? '', line)
  }
})

test('prints the usage of an example that is called with missing or invalid arguments', async (t) => {
  const cases: [string, string[]][] = [
    [WEBSOCKET_CLIENT, []],
    [WEBSOCKET_CLIENT, ['ws://127.0.0.1:1/ws/v1']],
    [WEBSOCKET_CLIENT, ['127.0.0.1:1', 'key']],
    [WEBSOCKET_CLIENT, ['ws://127.0.0.1:1/ws/v1', 'key', '{venues}']],
    [GRPC_CLIENT, []],
    [GRPC_CLIENT, ['127.0.0.1:1', 'key', '{venues}']],
    [GRPC_CLIENT, ['127.0.0.1:1', 'key', '[]']],
  ]
  for (const [program, args] of cases) {
    const { child, said } = start(t, program, args)
    t.deepEqual(await once(child, 'close'), [1, null])
    t.is(said.length, 1, said.join('\n'))
    t.regex(said[0] ?? '', /^usage: /)
  }
})

test('a filter that the proto does not know, or not so, is not sent by the gRPC client', async (t) => {
  const cases: [string, RegExp][] = [
    ['{"venue":["venue_1"]}', /^filter "venue": use some of tokens /],
    ['{"venues":"venue_1"}', /^filter: .*venues: array expected$/],
  ]
  for (const [filter, line] of cases) {
    const { child, said } = start(t, GRPC_CLIENT, ['127.0.0.1:1', 'key', filter])
    t.deepEqual(await once(child, 'close'), [1, null])
    t.is(said.length, 1, said.join('\n'))
    t.regex(said[0] ?? '', line)
  }
})

test('a client that waits for a reconnect ends on a signal', async (t) => {
  const port = await ownPort()
  const cases: [string, string][] = [
    [WEBSOCKET_CLIENT, `ws://127.0.0.1:${port}/ws/v1`],
    [GRPC_CLIENT, `127.0.0.1:${port}`],
  ]
  for (const [program, target] of cases) {
    const { child, said } = start(t, program, [target, 'key', '{}', 'epoch-5'])
    await until('it has failed some times', 60_000, () => said.length >= 4)
    child.kill('SIGINT')
    t.deepEqual(await once(child, 'close'), [0, null])
    t.is(said.at(-1), 'epoch-5')
  }
})

test('the WebSocket client reconnects less and less often while it is refused', async (t) => {
  const cameAt: number[] = []
  const server = createServer().listen(0, '127.0.0.1')
  server.on('upgrade', (_, socket) => {
    cameAt.push(performance.now())
    // The client may be ended with the test before it has read the answer.
    socket.on('error', () => {})
    socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
  })
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  start(t, WEBSOCKET_CLIENT, [`ws://127.0.0.1:${port}/ws/v1`, 'key'])
  await until('it came six times', 60_000, () => cameAt.length >= 6)
  const [first = 0, , , , , sixth = 0] = cameAt
  // Half of 100 + 200 + 400 + 800 + 1,600 ms at least.
  t.true(sixth - first >= 1_500, `${sixth - first} ms`)
})

test('the WebSocket client waits for the time of Retry-After', async (t) => {
  const cameAt: number[] = []
  const server = createServer().listen(0, '127.0.0.1')
  server.on('upgrade', (_, socket) => {
    cameAt.push(performance.now())
    // The client may be ended with the test before it has read the answer.
    socket.on('error', () => {})
    socket.end('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nConnection: close\r\n\r\n')
  })
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  start(t, WEBSOCKET_CLIENT, [`ws://127.0.0.1:${port}/ws/v1`, 'key'])
  await until('it came twice', 60_000, () => cameAt.length >= 2)
  const [first = 0, second = 0] = cameAt
  t.true(second - first >= 1_900, `${second - first} ms`)
})
