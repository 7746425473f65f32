/** The bound of connections: which connections are accepted, which make room, and the answer to refused ones. */
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import type { Overflow } from '../../../api/http/connection-limit.ts'
import { createHttpServer } from '../../../api/http/http-server.ts'

const GOOD = { status: 200, retryAfter: undefined }

async function boundedServer(t: ExecutionContext, connectionsMax: number) {
  const waiting: ServerResponse[] = []
  const overflows: Overflow[] = []
  const { server, connections } = createHttpServer(
    ({ url }, response) => {
      if (url === '/slow') waiting.push(response)
      else response.end('at once')
    },
    { connectionsMax, stallMs: 60_000, onOverflow: (outcome) => overflows.push(outcome) },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** On a separate connection, unless an agent holds one open. */
  const request = async (path: string, agent: Agent | false = false, headers = {}) => {
    const requested = get({ host: '127.0.0.1', port, path, agent, headers })
    const [response] = (await once(requested, 'response')) as [IncomingMessage]
    const { statusCode: status } = response
    return { status, retryAfter: response.headers['retry-after'], body: await text(response) }
  }
  return { server, request, waiting, overflows, connections }
}

const OFFER = { Connection: 'Upgrade', Upgrade: 'websocket' }

test('refuses a request while every connection is in use, and serves it when it comes again', async (t) => {
  const { request: send, waiting, overflows, connections } = await boundedServer(t, 2)
  const slow = [send('/slow'), send('/slow')]
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve))
  for (let time = 0; time < 50; time++) {
    const { status, retryAfter, body } = await send('/')
    t.is(status, 503)
    t.is(retryAfter, '1')
    t.is(JSON.parse(body).error.code, 'UNAVAILABLE')
  }
  t.deepEqual(overflows, Array(50).fill('refused'))
  for (const response of waiting) response.end('late')
  t.deepEqual(await Promise.all(slow), Array(2).fill({ ...GOOD, body: 'late' }))
  while (connections.count() > 0) await new Promise((resolve) => setImmediate(resolve))
  t.deepEqual(await send('/'), { ...GOOD, body: 'at once' })
})

test('closes the longest idle connection to make room', async (t) => {
  const { request, waiting, overflows, connections } = await boundedServer(t, 2)
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  t.is((await request('/', agent)).status, 200)
  const slow = request('/slow')
  while (waiting.length < 1) await new Promise((resolve) => setImmediate(resolve))
  t.is(connections.count(), 2, 'one kept, one that waits')
  t.deepEqual(await request('/'), { ...GOOD, body: 'at once' })
  t.deepEqual(overflows, ['shed'])
  waiting[0]?.end('late')
  t.is((await slow).body, 'late', 'who waits for an answer was not cut')
})

test('a server without WebSockets answers an upgrade in HTTP, and that connection makes room', async (t) => {
  const { request, connections } = await boundedServer(t, 1)
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  for (let time = 0; time < 3; time++) {
    t.deepEqual(await request('/', agent, OFFER), { ...GOOD, body: 'at once' })
  }
  t.is(connections.count(), 1)
  t.deepEqual(await request('/'), { ...GOOD, body: 'at once' })
})

test('never closes a WebSocket to make room', async (t) => {
  const { server, request, connections } = await boundedServer(t, 1)
  server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
  })
  const { port } = server.address() as AddressInfo
  const [, socket] = await once(get({ host: '127.0.0.1', port, headers: OFFER }), 'upgrade')
  t.teardown(() => socket.destroy())
  t.is((await request('/')).status, 503)
  t.is(connections.count(), 1)
})
