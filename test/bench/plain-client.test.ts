/** The bench's HTTP client: an answer without a body is an answer, and its connection serves the next request. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { openPlainClient } from '../../bench/plain-client.ts'

test('reads answers without a body, and others after them', async (t) => {
  const server = createServer(({ url }, response) => {
    if (url === '/none') response.writeHead(204).end()
    else response.writeHead(200, { 'Content-Length': 3 }).end('yes')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = openPlainClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.teardown(() => {
    client.close()
    server.close()
  })
  t.is((await client.get('/none', '')).status, 204)
  const { status, parts } = await client.get('/some', '')
  t.is(`${status} ${Buffer.concat(parts)}`, '200 yes')
})

test('reports of a 429 or 503 whether it names a time to retry', async (t) => {
  const server = createServer(({ url }, response) => {
    const [, status, seconds] = url?.split('/') ?? []
    if (seconds) response.setHeader('Retry-After', seconds)
    response.writeHead(Number(status), { 'Content-Length': 0 }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = openPlainClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.teardown(() => {
    client.close()
    server.close()
  })
  for (const [path, expected] of [
    ['/429/7', true],
    ['/503/1', true],
    ['/503', false],
    ['/200/7', false],
  ] as const) {
    t.is((await client.get(path, '')).hasRetryAfter, expected, path)
  }
})
