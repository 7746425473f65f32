// Messages at /mcp by plain HTTP: unreadable ones, batches, cancellations and pages of other origins.

import { request } from 'node:http'
import test from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { apiForFile } from '../../support/api/api-under-test.ts'
import { mint } from '../../support/market/sample-swap.ts'

const PAGE = 'https://app.example'
const under = apiForFile({ mcpOrigins: [PAGE] })
let key: string

test.serial.before(async () => {
  const wanted = { tier: 'enterprise', environment: 'test', account: 'mcp', by: 'test' } as const
  key = (await createKey(under().db, wanted)).key
})

type Answered = { status: number; headers: Headers; body: unknown }

async function send(body: string, headers: Record<string, string> = {}): Promise<Answered> {
  const response = await fetch(`${under().api.url}/mcp`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const PONG = { jsonrpc: '2.0', id: 1, result: {} }
const NOTE = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
const errorWith = (code: number, id: unknown = null) => ({ jsonrpc: '2.0', id, error: { code } })

for (const [what, body, code, id] of [
  ['no JSON', '{', -32_700, null],
  ['an empty body', ' ', -32_600, null],
  ['no object', '5', -32_600, null],
  ['no version of JSON-RPC', '{"id":7,"method":"ping"}', -32_600, 7],
  ['no method', '{"jsonrpc":"2.0","id":"a"}', -32_600, 'a'],
  ['an empty batch', '[]', -32_600, null],
] as const) {
  test(`${what} is an error of JSON-RPC`, async (t) => {
    const { status, body: answer } = await send(body)
    t.is(status, 400)
    t.like(answer, errorWith(code, id))
  })
}

test('a body of another kind or size, and an unknown parameter, are errors of JSON-RPC', async (t) => {
  const other = await send('{}', { 'Content-Type': 'text/plain' })
  t.is(other.status, 415)
  t.like(other.body, errorWith(-32_600))
  const large = await send(`"${'a'.repeat(70_000)}"`)
  t.is(large.status, 400)
  t.like(large.body, errorWith(-32_600))
  const response = await fetch(`${under().api.url}/mcp?limit=1`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: PING,
  })
  t.like(await response.json(), errorWith(-32_600))
  // The gate is before the message, and answers as on every route.
  const stranger = await send('{', { 'X-API-Key': 'none' })
  t.like(stranger, { status: 401, body: { error: { code: 'UNAUTHORIZED' } } })
})

test('a batch is answered where the protocol has batches, and refused where it has none', async (t) => {
  const call = (id: number, name: string, given: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } })
  const init = '{"jsonrpc":"2.0","id":5,"method":"initialize","params":{}}'
  const stats = call(2, 'get_market_stats', {})
  const failing = call(3, 'get_token_stats', { mint: mint(9) })
  const batch = `[${PING},${NOTE},${stats},${failing},4,${init}]`
  for (const headers of [{}, { 'MCP-Protocol-Version': '2025-03-26' }] as const) {
    const { status, body } = await send(batch, headers as Record<string, string>)
    t.is(status, 200)
    const answers = body as { id: unknown; result?: { isError?: boolean } }[]
    t.deepEqual(
      answers.map(({ id }) => id),
      [1, 2, 3, null, 5],
    )
    t.deepEqual(answers[0], PONG)
    t.is(answers[1]?.result?.isError, undefined)
    t.true(answers[2]?.result?.isError)
    for (const at of [3, 4]) t.like(answers[at], { error: { code: -32_600 } })
  }
  t.is((await send(`[${NOTE},${NOTE}]`)).status, 202)
  for (const version of ['2025-06-18', '2025-11-25']) {
    const refused = await send(batch, { 'MCP-Protocol-Version': version })
    t.is(refused.status, 400)
    t.like(refused.body, errorWith(-32_600))
    t.is((await send(PING, { 'MCP-Protocol-Version': version })).status, 200)
  }
})

test('each message of a batch counts against the limits', async (t) => {
  const wanted = { tier: 'free', environment: 'test', account: 'batch', by: 'test' } as const
  const { key: free } = await createKey(under().db, wanted)
  const left = ({ headers }: Answered) => Number(headers.get('X-RateLimit-Remaining'))
  const first = await send(PING, { 'X-API-Key': free })
  const third = await send(`[${PING},${PING},${NOTE}]`, { 'X-API-Key': free })
  t.is(left(first) - left(third), 3)
  // Beyond the limit each request of the batch has the error.
  const [cap] = [left(third)]
  const batch = (count: number) => `[${Array(count).fill(PING).join()}]`
  for (let rest = cap; rest > 2; rest -= Math.min(50, rest - 2)) {
    t.is((await send(batch(Math.min(50, rest - 2)), { 'X-API-Key': free })).status, 200)
  }
  const { status, body } = await send(batch(4), { 'X-API-Key': free })
  t.is(status, 200)
  t.deepEqual((body as object[]).slice(0, 2), [PONG, PONG])
  for (const answer of (body as object[]).slice(2)) {
    t.like(answer, errorWith(-32_000, 1))
    t.regex(JSON.stringify(answer), /RATE_LIMIT_EXCEEDED/)
  }
})

test('integers of arguments are exact, whichever form they have', async (t) => {
  const call = (start: string) =>
    send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_swaps_in_range","arguments":{"start_slot":${start},"end_slot":${start}}}}`,
    )
  for (const form of ['5', '"5"', '9007199254740991', '"9007199254740991"']) {
    const { body } = await call(form)
    t.false(JSON.stringify(body).includes('isError'), JSON.stringify(body))
  }
  for (const form of ['9007199254740993', '"9007199254740993"']) {
    t.regex(JSON.stringify((await call(form)).body), /start_slot \\\\?"9007199254740993\\\\?"/)
  }
  for (const form of ['{"a":1}', '[{"a":1}]']) {
    t.regex(JSON.stringify((await call(form)).body), /start_slot: expected a text/)
  }
})

/** fetch sets neither of these two headers. */
function statusOf(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const all = { 'Content-Type': 'application/json', ...headers }
    const sent = request(`${under().api.url}/mcp`, { method: 'POST', headers: all }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.once('error', reject)
    sent.end(PING)
  })
}

test('pages of other origins are refused, also those whose name was bound to this server', async (t) => {
  const { host } = new URL(under().api.url)
  const known = { 'X-API-Key': key }
  for (const [headers, status] of [
    [{}, 200],
    [{ Origin: `http://${host}` }, 200],
    [{ Origin: PAGE }, 200],
    [{ Origin: 'https://evil.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: 'http://evil.example:80', Host: 'evil.example:80' }, 403],
  ] as const) {
    t.is(await statusOf({ ...known, ...headers }), status, JSON.stringify(headers))
  }
  // The refusal comes before the gate, and costs nothing.
  t.is(await statusOf({ Origin: 'https://evil.example' }), 403)
  t.is(await statusOf({ Origin: PAGE }), 401)
})

test('a notification of a cancellation has no answer', async (t) => {
  const { status, body } = await send(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  )
  t.deepEqual([status, body], [202, undefined])
})
