// The document names exactly the paths that a process serves: the page, the metrics of operators, the feed.

import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import test from 'ava'
import { apiUnderTest, PATIENT_MS } from '../../support/api/api-under-test.ts'
import { feedApi } from '../../support/feed/feed-api.ts'

type Content = { schema: object; example?: object }
type Operation = {
  security?: object[]
  responses: Record<string, { content?: Record<string, Content>; headers?: object }>
}
type Document = { paths: Record<string, { get?: Operation }> }

const ADMIN_KEY = 'an-operators-key-of-this-test'
const OPERATOR = { Authorization: `Bearer ${ADMIN_KEY}` }

async function documentOf(url: string): Promise<Document> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Document
}

/** Status and type of an answer, as the document has it or not. */
async function expectServed(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const { get } = (await documentOf(url)).paths[path] ?? {}
  const answer = await fetch(url + path, { headers })
  await answer.arrayBuffer()
  const [type = ''] = (answer.headers.get('Content-Type') ?? '').split(';')
  const reported = get?.responses[answer.status]
  if (reported?.content?.[type] === undefined) {
    throw new Error(`${path} ${answer.status} ${type} is not documented`)
  }
  return answer.status
}

test('serves the page without a key', async (t) => {
  const { api } = await apiUnderTest(t)
  t.is(await expectServed(api.url, '/docs'), 200)
})

test('does not document metrics and the feed where they are not served', async (t) => {
  const { api, get } = await apiUnderTest(t)
  const { paths } = await documentOf(api.url)
  for (const path of ['/metrics', '/ws/v1']) {
    t.false(path in paths, path)
    t.is((await get(path)).status, 404, path)
  }
})

test('documents metrics where operators have a key', async (t) => {
  const { api } = await apiUnderTest(t, { adminKey: ADMIN_KEY })
  t.is(await expectServed(api.url, '/metrics', OPERATOR), 200)
  t.is(await expectServed(api.url, '/metrics'), 401)
})

test('a handshake of the feed ends with a documented response', async (t) => {
  const { api, keyFor } = await feedApi(t)
  const [free, other] = [await keyFor('free'), await keyFor('pro')]
  const { responses } = (await documentOf(api.url)).paths['/ws/v1']!.get!
  const sockets: { destroy(): void }[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  const handshake = (key: string, version = '13') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const requested = request(`${api.url}/ws/v1`, {
        headers: {
          'X-API-Key': key,
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
          'Sec-WebSocket-Version': version,
        },
        signal: AbortSignal.timeout(PATIENT_MS),
      })
      requested.once('upgrade', (answer, socket) => {
        sockets.push(socket)
        resolve(answer)
      })
      requested.once('response', resolve)
      requested.once('error', reject).end()
    })
  const opened = await handshake(free.key)
  const refused = [
    await handshake(free.key),
    await handshake('nobody'),
    await handshake(other.key, '7'),
  ] as const
  const [most] = await Promise.all(refused.map(json))
  t.deepEqual(most, responses[429]?.content?.['application/json']?.example)
  const statuses = [
    opened.statusCode,
    ...refused.map(({ statusCode }) => statusCode),
    await expectServed(api.url, '/ws/v1', { 'X-API-Key': other.key }),
  ]
  t.deepEqual(statuses, [101, 429, 401, 400, 404])
  for (const status of statuses) t.true(String(status) in responses, `${status}`)
  t.true('ratelimit' in opened.headers)
  const posted = await fetch(`${api.url}/ws/v1`, { method: 'POST' })
  t.is(posted.status, 405)
  t.is(posted.headers.get('Allow'), 'GET, HEAD, OPTIONS')
  await posted.arrayBuffer()
  t.true('RateLimit' in (responses[101]?.headers ?? {}))
})
