/** A bug is 500 with its cause in the log, on every interface: never a server that cannot be reached. */
import { once } from 'node:events'
import test from 'ava'
import Type from 'typebox'
import { WebSocket } from 'ws'
import { NO_OPERATIONS } from '../../../api/admin/no-operations.ts'
import { documentRoutes } from '../../../api/openapi/documents.ts'
import { ApiError } from '../../../api/routing/error.ts'
import { route } from '../../../api/routing/route.ts'
import { apiUnderTest, SILENT } from '../../support/api/api-under-test.ts'
import { feedApi } from '../../support/feed/feed-api.ts'
import { openClient, withKey } from '../../support/programs/swap-stream.ts'
import { recordingLog } from '../../support/recording-log.ts'

const ADMIN_KEY = 'an-operators-key-of-this-test'
const BUG = 'two of a kind'

test('a document of schemas that clash is an internal error', async (t) => {
  const clashing = [Type.String(), Type.Integer()].map((field, index) => {
    const path = `/clash-${index}` as const
    return route({
      ...{ path, operationId: `clash${index}`, summary: 'One of two', family: 'enveloped' },
      ...{ parameters: Type.Object({}), errors: [], example: {} },
      answer: Type.Object({ row: Type.Object({ field }, { title: 'Clash' }) }),
      read: async () => ({ row: { field: '' as never } }),
    })
  })
  const serves = { metrics: false, feed: false, publicPages: false }
  const [document] = documentRoutes(clashing, { serves, now: Date.now, log: SILENT })
  if (document === undefined) throw new Error('expected the document')
  const reading = { signal: new AbortController().signal } as never
  const error = await t.throwsAsync(document.respond({}, reading), { instanceOf: ApiError })
  t.is(error?.code, 'INTERNAL')
})

test('REST and MCP answer a bug with 500, and log its cause', async (t) => {
  const lanes = () => Promise.reject(new Error(BUG))
  const operations = { ...NO_OPERATIONS, lanes }
  const { log, lines } = recordingLog()
  const { api, db, key } = await apiUnderTest(t, { adminKey: ADMIN_KEY, operations, log })
  const headers = { Authorization: `Bearer ${ADMIN_KEY}` }
  const answer = await fetch(`${api.url}/admin/v1/lanes`, { headers })
  t.is(answer.status, 500)
  t.like(await answer.json(), { error: { code: 'INTERNAL', message: 'internal server error' } })
  t.is(lines.filter((line) => line.includes(BUG) && line.includes('request failed')).length, 1)

  await db.query('alter table coverage rename to coverage_elsewhere')
  const params = { name: 'get_coverage', arguments: {} }
  const called = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = (await called.json()) as {
    result: { isError: boolean; content: { text: string }[] }
  }
  t.deepEqual([result.isError, result.content[0]?.text], [true, 'DATABASE: a query failed'])
  t.is(lines.filter((line) => line.includes('failed to serve a message')).length, 1)
})

test('a handshake and a call of gRPC that meet a bug end in 500 and INTERNAL, with its cause in the log', async (t) => {
  const grpc = { host: '127.0.0.1', port: 0 }
  const { pipeline, api, keyFor } = await feedApi(t, { feed: { grpc } })
  const { key, url } = await keyFor('pro')
  const stream = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => stream.close())
  await pipeline.db.query('alter table api_key rename to api_key_elsewhere')
  const failed = (text: string): string[] =>
    pipeline.recording.lines.filter((line) => line.startsWith(`error ${text}`))

  const socket = new WebSocket(url)
  const [, response] = await once(socket, 'unexpected-response')
  t.is(response.statusCode, 500)
  response.destroy()
  t.is(failed('failed to upgrade').length, 1)
  t.true(failed('failed to upgrade')[0]?.includes('api_key'))

  const code = await new Promise((resolve) => {
    stream.GetStreamInfo({}, withKey(key), (failure) => resolve(failure?.code))
  })
  t.is(code, 13)
  t.is(failed('failed to describe the stream').length, 1)
})
