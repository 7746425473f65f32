/** Links to pictures: documents of a real HTTP server, and addresses that are never requested. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { DocumentUnusable } from '../../../streams/outgoing/get-document.ts'
import { TargetRefused } from '../../../streams/outgoing/target.ts'
import { type ImageOptions, openImages } from '../../../streams/outgoing/token-image.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

const PICTURE = 'https://example.com/dog.png'
const CONTENT = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const RECORD = 'A'.repeat(43)

const json =
  (value: unknown): Answer =>
  (response) =>
    void response.writeHead(200).end(JSON.stringify(value))

async function serve(t: ExecutionContext, answer: Answer) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    answer(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, paths }
}

const read = (uri: string, options: ImageOptions = {}) =>
  openImages(options).read(uri, AbortSignal.timeout(60_000))

test('reads the link of the document, and no other field', async (t) => {
  const { url } = await serve(t, json({ name: 'Other', image: PICTURE }))
  t.is(await read(`${url}/dog.json`, { policy: 'allow' }), PICTURE)
})

test('addresses without TLS, of private networks and of names in them are refused', async (t) => {
  const { url, paths } = await serve(t, json({ image: PICTURE }))
  const refused = [
    url,
    url.replace('http:', 'https:'),
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/x',
    'https://2130706433/x',
    'https://localhost/x',
    'https://user:password@example.com/x',
    'file:///etc/passwd',
    'ftp://example.com/x',
    'data:application/json,{}',
    'javascript:alert(1)',
  ]
  for (const uri of refused) await t.throwsAsync(read(uri), { instanceOf: TargetRefused }, uri)
  t.deepEqual(paths, [])
  for (const uri of ['', 'dog', '//example.com/x']) t.is(await read(uri), null)
})

test('links that a page must not show are none', async (t) => {
  let image: unknown
  const { url } = await serve(t, (response) => json({ image })(response, undefined as never))
  const links = [
    'http://example.com/dog.png',
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'https://127.0.0.1/dog.png',
    'https://[::1]/dog.png',
    'https://user@example.com/dog.png',
    `https://example.com/${'x'.repeat(2_000)}`,
    'dog.png',
    '',
    7,
    null,
    { url: PICTURE },
  ]
  for (image of links) t.is(await read(url, { policy: 'allow' }), null, `${image}`)
  image = ` ${PICTURE}\n`
  t.is(await read(url, { policy: 'allow' }), PICTURE)
})

test('other contents than an object have no link', async (t) => {
  for (const value of [null, [], 'https://example.com', 7]) {
    const { url } = await serve(t, json(value))
    t.is(await read(url, { policy: 'allow' }), null)
  }
})

test('reads ipfs and ar through the gateways that are set, and passes over them otherwise', async (t) => {
  const { url, paths } = await serve(t, json({ image: `ipfs://ipfs/${CONTENT}/1.png` }))
  const ipfsGateway = url
  t.is(await read(`ipfs://${CONTENT}/1.json`, { ipfsGateway }), `${url}/ipfs/${CONTENT}/1.png`)
  t.is(await read(`ar://${RECORD}`, { arweaveGateway: `${url}/` }), null)
  t.is(
    await read(`ar://${RECORD}`, { arweaveGateway: url, ipfsGateway }),
    `${url}/ipfs/${CONTENT}/1.png`,
  )
  const requested = [`/ipfs/${CONTENT}/1.json`, `/${RECORD}`, `/${RECORD}`]
  t.deepEqual(paths, requested)
  const foreign = [
    `ipfs://${CONTENT}/../../admin`,
    `ipfs://${CONTENT}/%2e%2e/admin`,
    'ipfs://../admin',
    'ipfs:///etc/passwd',
    `ipfs://@evil.example/${CONTENT}`,
    `ar://${RECORD}?to=x`,
    'ar://short',
    'ipfs://',
  ]
  for (const uri of foreign) {
    t.is(await read(uri, { ipfsGateway, arweaveGateway: url }), null, uri)
  }
  t.is(await read(`ipfs://${CONTENT}`), null)
  t.is(await read(`ar://${RECORD}`), null)
  t.deepEqual(paths, requested)
})

test('follows a redirect to the same host, a bounded number of them, and to no other', async (t) => {
  const other = await serve(t, json({ image: PICTURE }))
  const { url, paths } = await serve(t, (response, { url: path }) => {
    if (path === '/moved') return json({ image: PICTURE })(response, undefined as never)
    const location = { '/near': '/moved', '/far': `${other.url}/moved`, '/loop': '/loop' }[
      `${path}`
    ]
    response.writeHead(302, location === undefined ? {} : { location }).end()
  })
  t.is(await read(`${url}/near`, { policy: 'allow' }), PICTURE)
  for (const path of ['far', 'loop', 'nowhere']) {
    await t.throwsAsync(read(`${url}/${path}`, { policy: 'allow' }), {
      instanceOf: DocumentUnusable,
    })
  }
  t.deepEqual(other.paths, [])
  t.is(paths.filter((path) => path === '/loop').length, 4)
})

test('documents that fail, stall, are too large or no JSON are unusable', async (t) => {
  const large = JSON.stringify({ image: PICTURE, filling: 'x'.repeat(2_000) })
  const answers: Record<string, Answer> = {
    'status 500': (response) => void response.writeHead(500).end(),
    'not JSON': (response) => void response.writeHead(200).end('<html>'),
    'more than 1024 bytes': (response) => void response.writeHead(200).end(large),
    'no answer within 300 ms': () => {},
  }
  for (const [message, answer] of Object.entries(answers)) {
    const { url } = await serve(t, answer)
    const options = {
      policy: 'allow',
      boundMs: message.startsWith('no') && message.includes('300') ? 300 : 60_000,
      bytesMax: 1_024,
    } as const
    await t.throwsAsync(read(url, options), { instanceOf: DocumentUnusable, message })
  }
  const { url } = await serve(t, (response) => void response.writeHead(200).write('{"image":'))
  await t.throwsAsync(read(url, { policy: 'allow', boundMs: 300 }), {
    instanceOf: DocumentUnusable,
    message: 'no answer within 300 ms',
  })
})
