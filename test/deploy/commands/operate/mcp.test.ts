// `swaptide mcp` as a host runs it: every line has its answer, whatever it holds and however the input ends, and no error holds
// the key.

import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { runHere, startCommand } from '../../../support/programs/commands.ts'
import { ownPort } from '../../../support/servers/own-port.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'
import { until } from '../../../support/workers/pipeline.ts'

const under = apiForFile()
let key: string

test.serial.before(async () => {
  const wanted = { tier: 'enterprise', environment: 'test', account: 'mcp', by: 'test' } as const
  key = (await createKey(under().db, wanted)).key
})

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const NOTE = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
const pong = (id: unknown = 1) => ({ jsonrpc: '2.0', id, result: {} })
const initialize = (protocolVersion: string) =>
  JSON.stringify({
    ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })

async function keyFile(t: ExecutionContext, content: string | Uint8Array = `${key}\n`) {
  const file = join(await temporaryFolder(t), 'key.txt')
  await writeFile(file, content)
  return file
}

type Line = {
  id?: unknown
  result?: object
  error?: { code: number; message: string }
}

/** The lines that the command prints for an input, which ends with it. */
async function answersTo(
  t: ExecutionContext,
  input: string,
  url = under().api.url,
): Promise<(Line | Line[])[]> {
  const argv = ['mcp', '--url', url, '--key-file', await keyFile(t)]
  const { code, stdout, stderr } = await runHere(argv, {}, input)
  t.is(stderr, '')
  t.is(code, 0)
  t.false(stdout.includes(key))
  if (stdout === '') return []
  t.true(stdout.endsWith('\n'))
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

for (const [what, input] of [
  ['a line', `${PING}\n`],
  ['a line without a line feed', PING],
  ['a line that ends with CR LF', `${PING}\r\n`],
  ['a line after a byte order mark', `\ufeff${PING}\n`],
  ['a line between blank ones', `\n  \r\n${PING}\n\n`],
  [
    'a line after a notification and a response',
    `${NOTE}\n{"jsonrpc":"2.0","id":9,"result":{}}\n${PING}`,
  ],
] as const) {
  test(`${what} is answered before the end of the input ends the command`, async (t) => {
    t.deepEqual(await answersTo(t, input), [pong()])
  })
}

for (const [what, line, code, id] of [
  ['no JSON', '{"jsonrpc":', -32_700, null],
  ['no UTF-8', '{"jsonrpc":"\udfff', -32_700, null],
  ['no object', '"ping"', -32_600, null],
  ['no request', '{"jsonrpc":"2.0","id":7}', -32_600, 7],
  ['no known method', '{"jsonrpc":"2.0","id":7,"method":"fly"}', -32_601, 7],
  [
    'an id beyond a double',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    undefined,
    9_007_199_254_740_992,
  ],
  ['an empty batch', '[]', -32_600, null],
] as const) {
  test(`a line with ${what} is answered with an error, and the next line as ever`, async (t) => {
    const [first, second] = await answersTo(t, `${line}\n${PING.replace('1', '2')}`)
    const lines = [first, second] as Line[]
    const refused = lines.find((each) => each.error !== undefined)
    t.is(refused?.id, id)
    if (code !== undefined) t.is(refused?.error?.code, code)
    t.is(lines.filter((each) => each.result !== undefined).length, 1)
  })
}

test('a line of more than a request may hold is answered, too', async (t) => {
  const long = (bytes: number) =>
    JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'ping', params: { a: 'a'.repeat(bytes) } })
  for (const [bytes, id] of [
    [100_000, 3],
    [2_000_000, null],
  ] as const) {
    const answers = (await answersTo(t, `${long(bytes)}\n${PING}\n`)) as Line[]
    t.deepEqual(
      answers.map((each) => [each.id, each.error === undefined]).sort(),
      [
        [1, true],
        [id, false],
      ].sort(),
    )
  }
})

test('input in UTF-16 is refused by name', async (t) => {
  const argv = ['mcp', '--url', under().api.url, '--key-file', await keyFile(t)]
  const child = startCommand(argv, {})
  child.stdin?.end(Buffer.from(`\ufeff${PING}\n`, 'utf16le'))
  const printed = await text(child.stdout as NodeJS.ReadableStream)
  t.like(JSON.parse(printed), { id: null, error: { code: -32_700 } })
  t.regex(printed, /UTF-16/)
})

test('a batch is one line of answers, where the version of the protocol has batches', async (t) => {
  const batch = `[${PING},${NOTE},5,{"jsonrpc":"2.0","id":"b","method":"ping"}]`
  for (const input of [batch, `${initialize('2025-03-26')}\n${batch}`]) {
    const answers = (await answersTo(t, input)).at(-1) as Line[]
    t.deepEqual([answers[0], answers[2]], [pong(), pong('b')])
    t.like(answers[1], { id: null, error: { code: -32_600 } })
  }
  t.deepEqual(await answersTo(t, `[${NOTE}]`), [])
  for (const version of ['2025-06-18', '2025-11-25']) {
    const [started, refused] = (await answersTo(t, `${initialize(version)}\n${batch}`)) as Line[]
    t.like(started, { id: 0, result: { protocolVersion: version } })
    t.like(refused, { id: null, error: { code: -32_600 } })
  }
})

test('integers of a message reach the API with their digits', async (t) => {
  const big = '9007199254740993'
  const call = (given: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_swaps_in_range","arguments":{"start_slot":${given}}}}`
  for (const input of [call(big), `[${call(big)}]`]) {
    t.regex(JSON.stringify(await answersTo(t, input)), /start_slot .{1,5}9007199254740993/)
  }
})

test('many lines at once are all answered', async (t) => {
  const ids = Array.from({ length: 200 }, (_, id) => id)
  const answers = await answersTo(t, ids.map((id) => PING.replace('1', String(id))).join('\n'))
  const answered = (answers as Line[]).map(({ id }) => Number(id))
  t.deepEqual(
    answered.sort((a, b) => a - b),
    ids,
  )
})

type Respond = (request: IncomingMessage, body: string, response: ServerResponse) => unknown

async function serverOf(t: ExecutionContext, respond: Respond): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    return respond(request, body, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a cancelled request ends at the API and has no answer; initialize cannot be cancelled', async (t) => {
  const seen: string[] = []
  const closed: string[] = []
  const url = await serverOf(t, (_, body, response) => {
    const { id, method } = JSON.parse(body)
    seen.push(id)
    response.once('close', () => response.writableFinished || closed.push(id))
    if (method !== 'tools/call') response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  })
  const child = startCommand(['mcp', '--url', url, '--key-file', await keyFile(t)], {})
  const printed = text(child.stdout as NodeJS.ReadableStream)
  const send = (line: object) =>
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
  const cancel = (requestId: unknown) =>
    send({ method: 'notifications/cancelled', params: { requestId } })
  send({ id: 'slow', method: 'tools/call', params: { name: 'a' } })
  send({ id: 'other', method: 'tools/call', params: { name: 'a' } })
  await until('the requests arrive', 60_000, () => seen.length === 2)
  cancel('unknown')
  cancel('slow')
  await until('the request ends', 60_000, () => closed.length > 0)
  t.deepEqual(closed, ['slow'])
  cancel('other')
  send({ id: 'last', method: 'ping' })
  child.stdin?.end()
  t.deepEqual(JSON.parse(await printed), pong('last'))
})

for (const [what, respond, message] of [
  [
    'HTML',
    (_, __, response) => response.end('<title>Welcome</title>'),
    /status 200, not as an API/,
  ],
  [
    'an echo',
    ({ headers }, _, response) => response.writeHead(400).end(JSON.stringify(headers)),
    /status 400, not as/,
  ],
  [
    'an echo in an error',
    ({ headers }, _, response) =>
      response
        .writeHead(401)
        .end(JSON.stringify({ error: { code: 'NO', message: `not ${headers['x-api-key']}` } })),
    /^NO: not \*\*\*$/,
  ],
  ['no body', (_, __, response) => response.writeHead(202).end(), /status 202, not as an API/],
  [
    'the answer to another request',
    (_, __, response) => response.end(JSON.stringify(pong(8))),
    /status 200, not as an API/,
  ],
  [
    'a redirect to another origin',
    (_, __, response) => response.writeHead(307, { Location: 'http://127.0.0.2:1/mcp' }).end(),
    /redirects to http:\/\/127\.0\.0\.2:1 by 307: name the final address by --url/,
  ],
  ['a lost connection', ({ socket }) => socket.destroy(), /the API did not answer/],
] as const satisfies readonly (readonly [string, Respond, RegExp])[]) {
  test(`a server that answers with ${what} is an error without the key`, async (t) => {
    const url = await serverOf(t, respond)
    const [answer] = (await answersTo(t, PING, url)) as Line[]
    t.is(answer?.id, 1)
    t.regex(answer?.error?.message ?? '', message)
  })
}

test('a redirect within the origin is followed, and an answer of several lines is one', async (t) => {
  const url = await serverOf(t, ({ url: path, headers }, body, response) => {
    if (path === '/mcp') return response.writeHead(308, { Location: '/mcp/' }).end()
    const { id } = JSON.parse(body)
    const result = { isOurs: headers['x-api-key'] === key }
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }, undefined, 2))
  })
  t.deepEqual(await answersTo(t, PING, url), [{ ...pong(), result: { isOurs: true } }] as Line[])
})

test('an API that is away is an error for each request', async (t) => {
  const url = `http://127.0.0.1:${await ownPort()}`
  const [answer] = (await answersTo(t, PING, url)) as Line[]
  t.regex(answer?.error?.message ?? '', /the API did not answer: ECONNREFUSED/)
})

for (const [what, content] of [
  ['two lines', 'ohlcv_test_sk_secret\nohlcv_test_sk_other\n'],
  ['a carriage return', 'secret\rother'],
  ['a NUL', 'secret\0'],
  ['a space', 'secret other'],
  ['another alphabet', 'sécret'],
  ['UTF-16', Buffer.from('secret', 'utf16le')],
] as const) {
  test(`a key file with ${what} is refused without its content`, async (t) => {
    const file = await keyFile(t, content)
    const argv = ['mcp', '--url', under().api.url, '--key-file', file]
    const { code, stdout, stderr } = await runHere(argv, {}, `${PING}\n`)
    t.is(code, 2)
    t.is(stdout, '')
    t.is(stderr, `swaptide: "${file}": expected one line of printable ASCII without spaces\n`)
  })
}

test('a key file without a key, and addresses that hold a password, are refused', async (t) => {
  const file = await keyFile(t, '\ufeff\r\n')
  const empty = await runHere(['mcp', '--url', under().api.url, '--key-file', file], {})
  t.regex(empty.stderr, /holds no API key/)
  for (const url of [
    'http://user:secret@127.0.0.1:1',
    'ftp://secret',
    'secret',
    'http://secret@x',
  ]) {
    const { code, stderr } = await runHere(
      ['mcp', '--url', url, '--key-file', await keyFile(t)],
      {},
    )
    t.is(code, 2, url)
    t.false(stderr.includes('secret'))
  }
})

test('a key that is given as an argument is not repeated', async (t) => {
  for (const argv of [['mcp', key], ['mcp', `--${key}`], ['mcp', '--key', key], [key]]) {
    const { code, stderr } = await runHere(argv, {})
    t.is(code, 2, argv[0])
    t.false(stderr.includes(key.slice(-20)), stderr)
  }
})
