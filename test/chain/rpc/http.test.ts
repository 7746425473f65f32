/** The HTTP client of a node against servers that write raw bytes: framing, connections used again, and cut responses. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { AnswerTooLong } from '../../../chain/rpc/failure.ts'
import { ConnectionLost, endpointOf, post } from '../../../chain/rpc/http.ts'
import { Prng } from '../../../streams/simulator/prng.ts'

type RawServer = { url: string; connections: number; requests: string[] }

/** `answer` gets each request with its number; all requests of these tests fit one read. */
async function startRaw(
  t: ExecutionContext,
  answer: (socket: Socket, request: number) => void,
  host = '127.0.0.1',
): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const raw: RawServer = { url: '', connections: 0, requests: [] }
  const server = createServer((socket) => {
    raw.connections++
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      raw.requests.push(bytes.toString('latin1'))
      answer(socket, raw.requests.length)
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  const name = host.includes(':') ? `[${host}]` : host
  raw.url = `http://${name}:${(server.address() as AddressInfo).port}/path?key=1`
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return raw
}

const never = (): AbortSignal => new AbortController().signal

async function send(url: string, bytesMax = 2 ** 24, signal = never()): Promise<string> {
  const response = await post(endpointOf(url), { id: 1 }, signal)
  return response.read(bytesMax, (body) => body.toString('latin1'))
}

/** Why a connection was lost. */
const reasonOf = (error: Error | undefined): unknown =>
  error?.cause instanceof Error ? error.cause.message : undefined

const OK = 'HTTP/1.1 200 OK\r\n'
const withLength = (body: string): string => `${OK}content-length: ${body.length}\r\n\r\n${body}`
const inChunks = (parts: readonly string[]): string =>
  `${OK}transfer-encoding: chunked\r\n\r\n${parts
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('')}0\r\n\r\n`

const LONG = Array.from({ length: 300_000 }, (_, at) => at.toString(36)).join('')

test('a request names its host and its path, and its body follows', async (t) => {
  const raw = await startRaw(t, (socket) => socket.write(withLength('yes')))
  t.is(await send(raw.url), 'yes')
  const [request = ''] = raw.requests
  const { host } = new URL(raw.url)
  t.true(request.startsWith('POST /path?key=1 HTTP/1.1\r\n'))
  t.true(request.includes(`\r\nHost: ${host}\r\n`))
  t.regex(request, /\r\ncontent-length: 8\r\n/)
  t.true(request.endsWith('\r\n\r\n{"id":1}'))
})

test('bodies of any framing are whole, and one connection serves them all', async (t) => {
  const halves = [LONG.slice(0, 9), LONG.slice(9, 500_000), LONG.slice(500_000)]
  const responses = [withLength(LONG), inChunks(halves), withLength(''), inChunks([LONG])]
  const raw = await startRaw(t, (socket, request) => {
    socket.write(responses[request - 1] as string)
  })
  for (const expected of [LONG, LONG, '', LONG]) t.true((await send(raw.url)) === expected)
  t.is(raw.connections, 1)
})

test('a response that arrives in pieces drawn by a seed is whole', async (t) => {
  const prng = new Prng([29, 1])
  const raw = await startRaw(t, async (socket, request) => {
    const text = request % 2 === 0 ? withLength(LONG) : inChunks([LONG.slice(0, 70_000), LONG])
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + Math.floor(prng.unit() ** 4 * 400_000)
      socket.write(text.slice(at, end), 'latin1')
      at = end
      if (prng.unit() < 0.7) await new Promise((resolve) => setImmediate(resolve))
    }
  })
  for (let request = 1; request <= 20; request++) {
    const expected = request % 2 === 0 ? LONG : LONG.slice(0, 70_000) + LONG
    t.true((await send(raw.url)) === expected, `request ${request}`)
  }
})

test('a response that is cut anywhere is refused', async (t) => {
  const texts = [withLength('x'.repeat(20_000)), inChunks(['x'.repeat(20_000), 'y'])]
  const prng = new Prng([29, 2])
  const raw = await startRaw(t, (socket, request) => {
    const text = texts[request % 2] as string
    socket.end(text.slice(0, 1 + Math.floor(prng.unit() * (text.length - 1))))
  })
  for (let request = 0; request < 30; request++) {
    const error = await t.throwsAsync(send(raw.url), { instanceOf: ConnectionLost })
    t.is(reasonOf(error), 'aborted')
  }
})

test('a server that closes a new connection without a response is reported', async (t) => {
  const raw = await startRaw(t, (socket) => socket.end())
  const error = await t.throwsAsync(send(raw.url), { instanceOf: ConnectionLost })
  t.is(reasonOf(error), 'socket hang up')
  t.is(raw.requests.length, 1)
})

test('a connection that was closed while it was idle costs no request', async (t) => {
  // The server closes it when the next request comes, so the client cannot know before.
  let served: Socket | undefined
  const raw = await startRaw(t, (socket) => {
    if (socket === served) socket.destroy()
    else socket.write(withLength('yes'))
    served = socket
  })
  for (let request = 0; request < 5; request++) t.is(await send(raw.url), 'yes')
  t.is(raw.connections, 5)
  t.is(raw.requests.length, 9)
})

test('a connection is not used again after the server forbade it, or named too short a time', async (t) => {
  for (const header of ['connection: close', 'keep-alive: timeout=1']) {
    const raw = await startRaw(t, (socket) => {
      socket.write(`${OK}${header}\r\ncontent-length: 1\r\n\r\nx`)
    })
    t.is(await send(raw.url), 'x')
    t.is(await send(raw.url), 'x')
    t.is(raw.connections, 2, header)
  }
})

test('a body that ends with its connection is whole', async (t) => {
  const raw = await startRaw(t, (socket) => socket.end(`${OK}\r\n${LONG}`))
  t.true((await send(raw.url)) === LONG)
})

test('a body above the bound is refused in every framing', async (t) => {
  const responses = [withLength(LONG), inChunks([LONG]), `${OK}\r\n${LONG}`, withLength('12345')]
  const raw = await startRaw(t, (socket, request) => {
    socket.write(responses[(request - 1) % 4] as string)
  })
  for (const bytesMax of [200_000, 200_000, 200_000, 4]) {
    const error = await t.throwsAsync(send(raw.url, bytesMax), { instanceOf: AnswerTooLong })
    t.is(error?.message, `answer of more than ${bytesMax} bytes`)
  }
})

test('bytes that break the rules of HTTP are refused', async (t) => {
  const chunked = `${OK}transfer-encoding: chunked\r\n\r\n`
  const broken = [
    'SSH-2.0-x\r\n',
    `${OK}no colon\r\n\r\n`,
    `${OK}${'a: b\r\n'.repeat(9_000)}`,
    `${OK}content-length: -1\r\n\r\n`,
    `${OK}content-length: 3, 4\r\n\r\nabc`,
    `${OK}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd`,
    `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc`,
    `${chunked}x\r\n`,
    `${chunked}-1\r\n`,
    `${chunked}1\r\nab\r\n0\r\n\r\n`,
    `${chunked}${'f'.repeat(17)}\r\n`,
  ]
  const raw = await startRaw(t, (socket, request) => socket.end(broken[request - 1] as string))
  for (const sent of broken) {
    await t.throwsAsync(send(raw.url), { instanceOf: ConnectionLost }, sent.slice(0, 60))
  }
  t.is(raw.requests.length, broken.length)
})

test('a response that is cut before its body is read is refused', async (t) => {
  const raw = await startRaw(t, (socket) => {
    socket.write(`${OK}content-length: 9\r\n\r\nnot`)
    setImmediate(() => socket.end())
  })
  const response = await post(endpointOf(raw.url), { id: 1 }, never())
  // The next connection is served after the first one was closed.
  await t.throwsAsync(send(raw.url), { instanceOf: ConnectionLost })
  const reading = response.read(2 ** 24, (body) => body.length)
  await t.throwsAsync(reading, { instanceOf: ConnectionLost })
})

test('a packed body is unpacked within the bound, and one that is cut is refused', async (t) => {
  const packed = gzipSync(LONG)
  const bodies = [packed, packed, packed.subarray(0, -9), Buffer.from('plain')]
  const raw = await startRaw(t, (socket, request) => {
    const body = bodies[request - 1] as Buffer
    socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`)
    socket.write(body)
  })
  t.true((await send(raw.url)) === LONG)
  await t.throwsAsync(send(raw.url, LONG.length - 1), { instanceOf: AnswerTooLong })
  for (const _ of bodies.slice(2))
    await t.throwsAsync(send(raw.url), { instanceOf: ConnectionLost })
})

test('a node is reached by IPv4 and by IPv6', async (t) => {
  for (const host of ['127.0.0.1', '::1']) {
    const raw = await startRaw(t, (socket) => socket.write(withLength('yes')), host)
    t.is(await send(raw.url), 'yes', host)
  }
})

test('a signal ends a request before and during its response, with its reason', async (t) => {
  const responses = ['', `${OK}content-length: 900000\r\n\r\n${'x'.repeat(300_000)}`]
  let late = new AbortController()
  const raw = await startRaw(t, (socket, request) => {
    socket.write(responses[request - 1] as string)
    setTimeout(() => late.abort(new Error('too late')), 50)
  })
  for (const _ of responses) {
    late = new AbortController()
    await t.throwsAsync(send(raw.url, 2 ** 24, late.signal), { message: 'too late' })
  }
  await t.throwsAsync(send(raw.url, 1, AbortSignal.abort(new Error('ended'))), { message: 'ended' })
  t.is(raw.connections, 2)
})

test('a response that is discarded ends its connection', async (t) => {
  const raw = await startRaw(t, (socket) => {
    socket.write(`HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 9\r\n\r\nnot`)
  })
  const response = await post(endpointOf(raw.url), { id: 1 }, never())
  t.is(response.status, 429)
  t.is(response.retryAfter, '7')
  response.discard()
  await post(endpointOf(raw.url), { id: 2 }, never())
  t.is(raw.connections, 2)
})

test('many requests at once get their own responses', async (t) => {
  const raw = await startRaw(t, (socket, request) => {
    setImmediate(() => socket.write(withLength(`${request}:${LONG}`)))
  })
  const bodies = await Promise.all(Array.from({ length: 12 }, () => send(raw.url)))
  t.true(bodies.every((body) => body.endsWith(`:${LONG}`)))
  t.is(new Set(bodies).size, 12)
})
