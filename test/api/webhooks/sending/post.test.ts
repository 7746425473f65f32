/** Attempts to send to hostile endpoints, and targets that are refused: real sockets, without other servers. */
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { type Outcome, openPoster } from '../../../../api/webhooks/sending/post.ts'
import {
  expectPublic,
  isPrivate,
  readTarget,
  TargetRefused,
} from '../../../../streams/outgoing/target.ts'

const SHORT_MS = 1_000
const PATIENT_MS = 30_000

async function listen(t: ExecutionContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

/** The outcome of one attempt to an endpoint that answers so. */
async function sent(
  t: ExecutionContext,
  answer: RequestListener,
  boundMs = PATIENT_MS,
): Promise<Outcome> {
  const server = createHttpServer(answer)
  const port = await listen(t, server)
  t.teardown(() => server.closeAllConnections())
  const poster = openPoster(`http://127.0.0.1:${port}/`, 'allow', boundMs)
  t.teardown(() => poster.close())
  return await poster.post('{}', { 'webhook-id': 'a' }, AbortSignal.timeout(PATIENT_MS))
}

const errorOf = (outcome: Outcome): string => (outcome.isAccepted ? '' : outcome.error)

test('any status of 200 to 299 is accepted', async (t) => {
  for (const status of [200, 202, 204, 299]) {
    const outcome = await sent(t, (_, response) => response.writeHead(status).end())
    t.deepEqual(outcome, { isAccepted: true, status })
  }
})

test('does not follow a redirect, wherever it leads', async (t) => {
  let requests = 0
  const outcome = await sent(t, (_, response) => {
    requests++
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  t.is(errorOf(outcome), 'status 302: redirects are not followed')
  t.is(requests, 1)
})

test('410 means that the endpoint is gone, and Retry-After is read in seconds', async (t) => {
  const gone = await sent(t, (_, response) => response.writeHead(410).end())
  t.like(gone, { isAccepted: false, isGone: true })
  const later = await sent(t, (_, response) =>
    response.writeHead(503, { 'retry-after': '120' }).end(),
  )
  t.like(later, { isGone: false, retryAfterMs: 120_000, error: 'status 503' })
})

test('an endless answer is cut, and its status counts', async (t) => {
  let written = 0
  const outcome = await sent(t, (_, response) => {
    response.writeHead(200)
    const write = (): void => {
      while (!response.destroyed) {
        written += 65_536
        if (!response.write(Buffer.alloc(65_536))) return
      }
    }
    response.on('drain', write).on('error', () => {})
    write()
  })
  t.deepEqual(outcome, { isAccepted: true, status: 200 })
  t.true(written < 64 * 1024 * 1024, `${written} bytes`)
})

test('an endpoint that hangs, at any stage, is given up after the bound', async (t) => {
  const silent = createServer(() => {})
  const port = await listen(t, silent)
  const poster = openPoster(`http://127.0.0.1:${port}/`, 'allow', SHORT_MS)
  const outcome = await poster.post('{}', {}, AbortSignal.timeout(PATIENT_MS))
  t.is(errorOf(outcome), `no answer within ${SHORT_MS} ms`)
  poster.close()
  // A loaded machine may not have read the status within the bound.
  let halfway = ''
  for (let boundMs = SHORT_MS; boundMs <= PATIENT_MS && halfway !== 'status 500'; boundMs *= 4) {
    halfway = errorOf(
      await sent(t, (_, response) => void response.writeHead(500).write('x'), boundMs),
    )
  }
  t.is(halfway, 'status 500')
})

test('a cut connection, a broken answer and oversized headers are failures', async (t) => {
  const cut = await sent(t, (request) => void request.socket.destroy())
  t.false(cut.isAccepted)
  const broken = await sent(t, (request) => void request.socket.end('HTTP/1.1 2'))
  t.false(broken.isAccepted)
  const large = await sent(t, (_, response) =>
    response.writeHead(200, { 'x-large': 'x'.repeat(64 * 1024) }).end(),
  )
  t.regex(errorOf(large), /HPE_HEADER_OVERFLOW/)
})

const CHECKS_MAX = 10

/** Checks again where none is refused: a busy machine may not resolve a name within the bound of a check, which then passes. */
async function refusalOf(url: URL): Promise<unknown> {
  for (let checks = 0; checks < CHECKS_MAX; checks++) {
    try {
      await expectPublic(url, 'refuse')
    } catch (error) {
      return error
    }
  }
  return undefined
}

test('a name that resolves to a private address is refused before anything connects', async (t) => {
  let connections = 0
  // The server ends each connection: a short bound of the request might end it before one begins.
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  const port = await listen(t, server)
  const url = `https://localhost:${port}/`
  const poster = openPoster(url, 'refuse', PATIENT_MS)
  const outcome = await poster.post('{}', {}, AbortSignal.timeout(PATIENT_MS))
  t.regex(errorOf(outcome), /private address/)
  t.is(connections, 0)
  t.true((await refusalOf(new URL(url))) instanceof TargetRefused)
  await t.notThrowsAsync(expectPublic(new URL(url), 'allow'))
  const allowed = openPoster(url, 'allow', PATIENT_MS)
  const accepted = once(server, 'connection')
  t.false((await allowed.post('{}', {}, AbortSignal.timeout(PATIENT_MS))).isAccepted)
  // The client may see its end before the server has accepted it.
  await accepted
  t.true(connections > 0)
  poster.close()
  allowed.close()
})

test('private addresses are recognised in every form that a URL has', (t) => {
  const ips = [
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.1'],
    ...['::1', '::', 'fc00::1', 'fdff::1', 'fe80::1', 'fe80::1%eth0', 'ff02::1'],
    ...['::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::a00:1', '2002:a00:1::', 'no address'],
  ]
  for (const ip of ips) t.true(isPrivate(ip), ip)
  const open = ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1']
  for (const ip of open) t.false(isPrivate(ip), ip)
  const urls = [
    ...['https://2130706433/', 'https://0x7f000001/', 'https://127.1/', 'https://[::1]/'],
    ...['https://[::ffff:10.0.0.1]/', 'https://0/', 'http://example.com/', 'ftp://example.com/'],
    ...['https://user:pass@example.com/', 'https://example.com/#x', 'example.com', ''],
  ]
  for (const url of urls) {
    t.throws(() => readTarget(url, 'refuse'), { instanceOf: TargetRefused }, url)
  }
  t.is(readTarget('https://example.com', 'refuse').href, 'https://example.com/')
  t.is(readTarget('http://10.0.0.1/a', 'allow').href, 'http://10.0.0.1/a')
})
