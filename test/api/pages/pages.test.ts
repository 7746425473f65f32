// Pages for people as a server answers them: their HTML, their files, and the session of a browser.

import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { WebSocket } from 'ws'
import { apiForFile, apiUnderTest } from '../../support/api/api-under-test.ts'
import { feedApi } from '../../support/feed/feed-api.ts'

const under = apiForFile({ adminKey: 'a-long-key-of-the-operators' })

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const OWN = { 'Sec-Fetch-Site': 'same-origin' }
const GZIPPED_BYTES_MAX = 400_000

type Headings = Record<string, string>
const fetched = (path: string, headers: Headings = {}, method = 'GET') =>
  fetch(under().api.url + path, { headers, method, redirect: 'manual' })

async function signedIn(): Promise<string> {
  const { api, key } = under()
  const answer = await fetch(api.signInLink(key), { redirect: 'manual' })
  return (answer.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
}

test('a browser gets a page, a program what any other path answers', async (t) => {
  for (const path of ['/', '/token/x', '/tx/x', '/wallet/x', '/leaderboard', '/account']) {
    const page = await fetched(path, { Accept: BROWSER })
    t.is(page.status, 200, path)
    t.regex(page.headers.get('Content-Type') ?? '', /^text\/html/)
    t.regex(page.headers.get('Content-Security-Policy') ?? '', /^default-src 'self';/)
    t.notRegex(page.headers.get('Content-Security-Policy') ?? '', /unsafe|data:|https?:|\*/)
    const html = await page.text()
    t.notRegex(html, /<script(?! type="module" src="\/)|<style| style=| on\w+=|https?:/)
    for (const Accept of ['*/*', 'application/json']) {
      t.is((await fetched(path, { Accept })).status, 401, path)
      t.is((await fetched(path, { Accept, 'X-API-Key': under().key })).status, 404, path)
    }
  }
})

const UNKNOWN = [
  ...['/tokens', '/token', '/token/x/y', '/wallet/', '/index.html', '/a%20b', '/%zz', '/%00'],
  ...['/admin/none', '/assets', '/unknown?query=1', '/v1', '/swap', '/<script>', '/../etc/passwd'],
]

test('an unknown path is a page for a browser, signed in or not, and an error for a program', async (t) => {
  const Cookie = await signedIn()
  for (const path of UNKNOWN) {
    // An address that is typed has no page that it comes from.
    for (const headers of [{}, { Cookie, 'Sec-Fetch-Site': 'none' }, { Cookie, ...OWN }]) {
      const page = await fetched(path, { Accept: BROWSER, ...headers })
      t.is(page.status, 404, path)
      t.regex(page.headers.get('Content-Type') ?? '', /^text\/html/, path)
      t.regex(page.headers.get('Content-Security-Policy') ?? '', /^default-src 'self';/)
      t.regex(page.headers.get('Vary') ?? '', /\bAccept,/)
      const html = await page.text()
      t.regex(html, /<h1>Page not found<\/h1>/)
      for (const link of ['/', '/screener', '/leaderboard', '/docs', '/account'])
        t.true(html.includes(`href="${link}"`), `${path}: ${link}`)
      t.notRegex(html, /<script(?! type="module" src="\/)|<style| style=| on\w+=|https?:|passwd/)
    }
    for (const Accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      t.is((await fetched(path, { Accept })).status, 401, path)
      const known = await fetched(path, { Accept, 'X-API-Key': under().key })
      t.is(known.status, 404, path)
      t.like(await known.json(), { success: false, error: { code: 'NOT_FOUND' } }, path)
    }
  }
  for (const [method, path, headers, status] of [
    ['GET', '/none', { 'X-API-Key': under().key }, 404],
    ['GET', '/none', { Authorization: `Bearer ${under().key}` }, 404],
    ['GET', '/none', { 'X-API-Key': 'ohlcv_test_sk_unknown' }, 401],
    ['GET', `/none?api_key=${under().key}`, {}, 404],
    ['POST', '/none', {}, 401],
    ['GET', '/session', {}, 405],
    ['GET', '/swaps', {}, 401],
  ] as const) {
    const answer = await fetched(path, { Accept: BROWSER, ...headers }, method)
    t.is(answer.status, status, `${method} ${path}`)
    t.regex(answer.headers.get('Content-Type') ?? '', /^application\/json/, `${method} ${path}`)
  }
  const head = await fetched('/none', { Accept: BROWSER }, 'HEAD')
  t.is(head.status, 404)
  t.regex(head.headers.get('Content-Type') ?? '', /^text\/html/)
})

test('a path that is a page and a route is each to whom it is meant for', async (t) => {
  const path = '/screener?window=1h'
  const program = { Accept: 'application/json', 'X-API-Key': under().key }
  // The second response comes from the cache, which knows the URL.
  for (let time = 0; time < 2; time++) {
    const answer = await fetched(path, program)
    t.is(answer.status, 200)
    t.deepEqual(((await answer.json()) as { results: unknown[] }).results, [])
    t.regex(answer.headers.get('Vary') ?? '', /\bAccept,/)
    const page = await fetched(path, { Accept: BROWSER })
    t.is(page.status, 200)
    t.regex(page.headers.get('Content-Type') ?? '', /^text\/html/)
    t.regex(page.headers.get('Vary') ?? '', /\bAccept,/)
  }
  const byHand = await fetched(`${path}&api_key=${under().key}`, { Accept: BROWSER })
  t.regex(byHand.headers.get('Content-Type') ?? '', /^application\/json/)
})

test('every file comes from this server, is revalidated by its tag, and all are small', async (t) => {
  const html = await (await fetched('/', { Accept: BROWSER })).text()
  const waiting = Array.from(html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path]) =>
    String(path),
  )
  t.true(waiting.length > 3)
  const sizes = new Map<string, number>()
  while (waiting.length > 0) {
    const path = String(waiting.pop())
    if (sizes.has(path)) continue
    const answer = await fetched(path)
    t.is(answer.status, 200, path)
    const text = await answer.text()
    sizes.set(path, gzipSync(text).length)
    const parts = text.matchAll(/"\.\/(part-[\w-]+\.js)"/g)
    waiting.push(...Array.from(parts, ([, name]) => `/assets/${name}`))
    const etag = answer.headers.get('ETag') ?? ''
    t.is((await fetched(path, { 'If-None-Match': etag })).status, 304, path)
    const isFingerprinted = /-[A-Z0-9]{8}\.(js|css)$/.test(path)
    t.is(path.endsWith('.svg'), !isFingerprinted, path)
    t.is(/immutable/.test(answer.headers.get('Cache-Control') ?? ''), isFingerprinted, path)
  }
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  t.true(sizes.size > 4 && total < GZIPPED_BYTES_MAX, `${total} bytes in ${sizes.size} files`)
  t.log(`${total} bytes gzipped in ${sizes.size} files`)
  for (const path of ['/assets/none.js', '/assets/..%2f..%2fpackage.json', '/assets/constructor']) {
    t.is((await fetched(path)).status, 404, path)
  }
})

test('the HTML of a page names every module that its modules import', async (t) => {
  for (const path of [
    '/',
    '/token/x',
    '/tx/x',
    '/wallet/x',
    '/leaderboard',
    '/screener',
    '/account',
  ]) {
    const html = await (await fetched(path, { Accept: BROWSER })).text()
    const named = new Set(html.match(/(?<=\/assets\/)[\w-]+\.js/g))
    t.true(named.size > 1, path)
    for (const name of named) {
      const text = await (await fetched(`/assets/${name}`)).text()
      const imported = text.match(/(?<=(?:from|import)"\.\/)[\w-]+\.js/g) ?? []
      t.deepEqual(
        imported.filter((each) => !named.has(each)),
        [],
        `${path} ${name}`,
      )
    }
  }
})

test('a link signs in once, and its secret leaves the address', async (t) => {
  const { api, key } = under()
  const link = api.signInLink(key)
  const looked = await fetch(link, { method: 'HEAD', redirect: 'manual' })
  t.is(looked.headers.get('Set-Cookie'), null)
  const first = await fetch(link, { redirect: 'manual' })
  t.is(first.status, 303)
  t.is(first.headers.get('Location'), '/')
  t.regex(
    first.headers.get('Set-Cookie') ?? '',
    /; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
  )
  t.is(first.headers.get('Cache-Control'), 'no-store')
  t.is(first.headers.get('Referrer-Policy'), 'no-referrer')
  const second = await fetch(link, { redirect: 'manual' })
  t.is(second.headers.get('Location'), '/?link=expired')
  t.is(second.headers.get('Set-Cookie'), null)
  const lines = under().lines.join('\n')
  t.false(lines.includes(new URL(link).searchParams.get('k') ?? ''))
  t.false(lines.includes(key))
})

test('a session is the key for requests from this origin only', async (t) => {
  const Cookie = await signedIn()
  const read = await fetched('/swaps', { Cookie, ...OWN })
  t.is(read.status, 200)
  t.not(read.headers.get('X-RateLimit-Remaining'), null, 'counted like any other request')
  for (const more of [
    {},
    { 'Sec-Fetch-Site': 'none' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'http://127.0.0.1:1' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { Origin: 'https://evil.example' },
  ] as Headings[]) {
    t.is((await fetched('/swaps', { Cookie, ...more })).status, 401, JSON.stringify(more))
    t.is((await fetched('/graphql?query={__typename}', { Cookie, ...more })).status, 401)
  }
  const foreign = { Cookie, ...OWN, 'X-API-Key': 'ohlcv_test_sk_unknown' }
  t.is((await fetched('/swaps', foreign)).status, 401, 'the key of the request takes precedence')
  t.is((await fetched('/admin/v1/keys', { Cookie, ...OWN })).status, 401, 'no operator')
})

test('a handshake of the feed follows the same rule', async (t) => {
  const { api, keyFor } = await feedApi(t)
  const { key } = await keyFor('free')
  const answer = await fetch(api.signInLink(key), { redirect: 'manual' })
  const Cookie = (answer.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
  const url = `${api.url.replace('http', 'ws')}/ws/v1`
  const statusOf = async (headers: Headings): Promise<number> => {
    const socket = new WebSocket(url, { headers })
    const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode)
    socket.on('error', () => {})
    const status = await Promise.race([once(socket, 'open').then(() => 101), refused])
    socket.terminate()
    return status
  }
  t.is(await statusOf({ Cookie, Origin: api.url }), 101)
  t.is(await statusOf({ Cookie, Origin: 'https://evil.example' }), 401)
  t.is(await statusOf({ Cookie }), 401)
})

test('a pasted key becomes a session, and signing out deletes it', async (t) => {
  const { key } = under()
  t.is((await fetched('/session', {}, 'POST')).status, 401)
  t.is((await fetched('/session', { 'X-API-Key': 'ohlcv_test_sk_unknown' }, 'POST')).status, 401)
  const made = await fetched('/session', { 'X-API-Key': key }, 'POST')
  t.is(made.status, 204)
  const [Cookie = ''] = (made.headers.get('Set-Cookie') ?? '').split(';')
  t.is((await fetched('/swaps', { Cookie, ...OWN })).status, 200)
  const left = await fetched('/session', { Cookie, ...OWN }, 'DELETE')
  t.regex(left.headers.get('Set-Cookie') ?? '', /^swaptide_page-\d+=; .*Max-Age=0/)
})

test('a revoked key ends its sessions', async (t) => {
  const { api, db, key, keyId } = await apiUnderTest(t, { keyBelievedMs: 0 })
  const answer = await fetch(api.signInLink(key), { redirect: 'manual' })
  const [Cookie = ''] = (answer.headers.get('Set-Cookie') ?? '').split(';')
  const statusOf = async () =>
    (await fetch(`${api.url}/swaps`, { headers: { Cookie, ...OWN } })).status
  t.is(await statusOf(), 200)
  await db.query('update api_key set revoked_at = now() where id = $1', [keyId])
  t.is(await statusOf(), 401)
})

test('the documents lead back to the pages', async (t) => {
  for (const path of ['/docs', '/graphql']) {
    t.regex(await (await fetched(path, { Accept: BROWSER })).text(), /<a href="\/">/, path)
  }
})
