/** Public pages as visitors and crawlers get them: open and closed paths, limits by address, heads and site maps. */

import test from 'ava'
import { Registry } from 'prom-client'
import { WebSocket } from 'ws'
import { parseNetwork } from '../../../../domain/text/network.ts'
import { apiForFile, LONG_LIMIT } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { sampleOf } from '../../../support/api/metric-value.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const CRAWLER = { Accept: '*/*', 'User-Agent': 'Twitterbot/1.0' }
const ADMIN = 'an-operator-token-of-this-test'
const URL_OF = 'https://swaptide.example'
const HOSTILE = `</title><script>alert(1)</script>"' \u202e${'x'.repeat(10_000)}\u0000`
const LIMIT = 200

const metrics = new Registry()
const under = apiForFile({
  ...LONG_LIMIT,
  metrics,
  adminKey: ADMIN,
  publicPages: {
    url: URL_OF,
    requestsMax: LIMIT,
    proxies: [parseNetwork('127.0.0.1')!],
    tokensPerMap: 2,
  },
})
const closed = apiForFile()

test.serial.before(async () => {
  const { db } = under()
  const swaps = Array.from({ length: 6 }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      pairAddress: pair(n),
      tokenAddress: mint(n),
      user: trader(1),
    }),
  )
  await insertSwaps(db, swaps, { hasPrices: true })
  await insertLedger(db, [])
  await db.query(`update token set symbol = 'ONE', name = 'Number "One"' where address = $1`, [
    mint(0),
  ])
  await db.query('update token set symbol = $2, name = $2 where address = $1', [
    mint(1),
    HOSTILE.replaceAll('\u0000', ''),
  ])
})

let visitors = 0
/** A request of an address of its own, by a trusted proxy. */
const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const ip = headers['X-Forwarded-For'] ?? `203.0.113.${++visitors}`
  return fetch(under().api.url + path, {
    method,
    headers: { ...CRAWLER, ...headers, 'X-Forwarded-For': ip },
    redirect: 'manual',
  })
}
const contentsOf = (html: string) =>
  Object.fromEntries(
    Array.from(
      html.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g),
      ([, name, text]) => [name, text],
    ),
  )

test('a crawler reads title, description, preview and canonical address of each page', async (t) => {
  for (const [path, title, picture] of [
    ['/', /^Swaptide - /, '/preview/site.png'],
    ['/leaderboard', /^Leaderboard/, '/preview/site.png'],
    [`/token/${mint(0)}`, /^ONE .*SOL.* - Swaptide$/, `/preview/token/${mint(0)}.png`],
    [
      `/wallet/${trader(1)}`,
      /^Wallet .* SOL realized - Swaptide$/,
      `/preview/wallet/${trader(1)}.png`,
    ],
  ] as const) {
    for (const Accept of ['*/*', BROWSER]) {
      const page = await visit(`${path}?window=1h`, { Accept })
      t.is(page.status, 200, path)
      t.is(page.headers.get('X-Robots-Tag'), null)
      t.regex(page.headers.get('Content-Security-Policy') ?? '', /^default-src 'self';/)
      const html = await page.text()
      const { description, robots, ...head } = contentsOf(html)
      t.regex(/<title>(.*)<\/title>/.exec(html)?.[1] ?? '', title)
      t.is(robots, undefined)
      t.true((description ?? '').length > 50)
      t.like(head, {
        'og:description': description,
        'og:url': URL_OF + path,
        'og:image': URL_OF + picture,
        'twitter:card': 'summary_large_image',
        'swaptide-pages': 'public',
      })
      t.true(html.includes(`<link rel="canonical" href="${URL_OF}${path}">`))
      t.regex(html, /<h1><bdi>[^<]+<\/bdi><\/h1>/)
      t.notRegex(
        html,
        /<script(?! type="module" src="\/)|<style| style=| on\w+="|href="\/(?:admin|graphql)"/,
      )
      const drawn = await visit(picture)
      t.is(drawn.headers.get('Content-Type'), 'image/png')
      const etag = drawn.headers.get('ETag') ?? ''
      t.is((await visit(picture, { 'If-None-Match': etag })).status, 304)
    }
  }
  const byScreener = await visit('/screener', { Accept: BROWSER })
  t.true((await byScreener.text()).includes('Screener of tokens'))
  const tx = await visit(`/tx/${signatureOf(0)}`)
  t.is(tx.status, 200)
  t.is(contentsOf(await tx.text()).robots, 'noindex')
})

test('a name is text in the head and the content, whatever it is', async (t) => {
  const html = await (await visit(`/token/${mint(1)}`)).text()
  t.true(html.length < 6_000, `${html.length}`)
  t.notRegex(html, /<script>|[\u202a-\u202e]|x{50}/)
  t.true(html.includes('&lt;/title&gt;&lt;script&gt;'))
  t.is((await visit(`/preview/token/${mint(1)}.png`)).status, 200)
})

test('an unknown token, wallet or transaction is a page with status 404 and noindex', async (t) => {
  const unknown = [
    ...[
      `/token/${mint(99)}`,
      '/token/x',
      `/token/${'z'.repeat(5_000)}`,
      '/token/%3Cscript%3E',
      '/token/%00',
    ],
    ...[`/wallet/${trader(99)}`, '/wallet/x', `/tx/${signatureOf(99)}`, '/tx/x'],
  ]
  for (const path of unknown) {
    for (const method of ['GET', 'HEAD']) {
      const page = await visit(path, {}, method)
      t.is(page.status, 404, path)
      t.is(page.headers.get('X-Robots-Tag'), 'noindex', path)
      t.regex(page.headers.get('Content-Type') ?? '', /^text\/html/, path)
      const html = await page.text()
      t.is(html === '', method === 'HEAD')
      if (method === 'GET') t.is(contentsOf(html).robots, 'noindex', path)
      t.notRegex(html, /<script>|canonical/)
    }
  }
  for (const path of [
    `/preview/token/${mint(99)}.png`,
    '/preview/wallet/x.png',
    '/preview/other.png',
  ]) {
    const { status } = await visit(path)
    t.true(path.includes('other') ? status === 401 : status === 404, path)
  }
})

test('the site map names each token once, in parts, with the time of its last swap', async (t) => {
  const index = await (await visit('/sitemap.xml')).text()
  const parts = Array.from(index.matchAll(/<loc>([^<]+)<\/loc>/g), ([, url]) => String(url))
  t.regex(index, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<sitemapindex xmlns=/)
  t.true(parts.every((url) => url.startsWith(`${URL_OF}/sitemap/`)))
  t.is(parts[0], `${URL_OF}/sitemap/pages.xml`)
  const urls: string[] = []
  for (const part of parts) {
    const answer = await visit(part.slice(URL_OF.length))
    t.regex(answer.headers.get('Content-Type') ?? '', /^application\/xml/)
    const text = await answer.text()
    urls.push(...Array.from(text.matchAll(/<loc>([^<]+)<\/loc>/g), ([, url]) => String(url)))
    if (part.includes('tokens'))
      t.regex(
        text,
        /<loc>[^<]+<\/loc><lastmod>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ<\/lastmod>|<urlset[^>]*>\s*<\/urlset>/,
      )
  }
  const tokens = urls.filter((url) => url.includes('/token/'))
  t.deepEqual(
    [...tokens].sort(),
    Array.from({ length: 6 }, (_, n) => `${URL_OF}/token/${mint(n)}`).sort(),
  )
  for (const name of ['tokens-99', 'tokens-01', 'tokens--1', 'none', 'tokens-1e1'])
    t.is((await visit(`/sitemap/${name}.xml`)).status, 404, name)
  const robots = await (await visit('/robots.txt')).text()
  t.true(robots.includes(`Sitemap: ${URL_OF}/sitemap.xml`))
  t.notRegex(robots, /^Disallow: \/$/m)
})

test('a visitor reads what the pages read, and nothing else', async (t) => {
  const document = (await (await visit('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { security?: object[] }>>
  }
  const isVisited = ({ security = [] }: { security?: object[] }): boolean =>
    security.some((each) => Object.keys(each).length === 0)
  t.true(isVisited(document.paths['/stats/token/{mint}']!.get!))
  t.false(isVisited(document.paths['/credits']!.get!))
  for (const path of [
    `/stats/token/${mint(0)}`,
    '/swaps?limit=1',
    '/trending?window=1h',
    '/screener',
  ]) {
    // The second response comes from the cache, which knows the URL.
    for (let time = 0; time < 2; time++) {
      const answer = await visit(path, { Accept: 'application/json' })
      t.is(answer.status, 200, path)
      t.is(answer.headers.get('X-Robots-Tag'), 'noindex')
      t.is(answer.headers.get('RateLimit-Policy'), `"address-60s";q=${LIMIT};w=60`)
    }
  }
  for (const [method, path] of [
    ['GET', '/credits'],
    ['GET', '/api/v1/candles/latest'],
    ['GET', '/admin/v1/keys'],
    ['GET', '/metrics'],
    ['GET', '/webhooks'],
    ['POST', '/webhooks'],
    ['POST', '/v2/backtest/copy'],
    ['POST', '/graphql'],
    ['POST', '/session'],
    ['GET', '/none'],
  ] as const) {
    const answer = await visit(path, { Accept: 'application/json' }, method)
    t.true([401, 405].includes(answer.status), `${method} ${path} ${answer.status}`)
  }
})

test('a key, a wrong key and a page of another site are no visitor', async (t) => {
  const path = '/swaps?limit=1'
  const { key } = under()
  const known = await visit(path, { 'X-API-Key': key })
  t.is(known.status, 200)
  t.regex(known.headers.get('RateLimit-Policy') ?? '', /^"tier-60s"/)
  t.is(known.headers.get('X-Robots-Tag'), null)
  for (const headers of [
    { 'X-API-Key': 'ohlcv_test_sk_unknown' },
    { Authorization: 'Bearer none' },
    { Origin: 'https://other.example' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ] as Record<string, string>[]) {
    t.is((await visit(path, headers)).status, 401, JSON.stringify(headers))
  }
  t.is((await visit(`${path}&api_key=none`)).status, 401)
  // A link on another site opens the page.
  const page = await visit(`/token/${mint(0)}`, { Accept: BROWSER, 'Sec-Fetch-Site': 'cross-site' })
  t.is(page.status, 200)
})

test('a session whose key has ended reads as a visitor, and no address is stored', async (t) => {
  const { api, db, key } = under()
  const policyOf = async (given: string): Promise<string> => {
    const signedIn = await fetch(api.signInLink(given), { redirect: 'manual' })
    const Cookie = (signedIn.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
    const own = { Cookie, 'Sec-Fetch-Site': 'same-origin' }
    return (await visit('/swaps?limit=1', own)).headers.get('RateLimit-Policy') ?? ''
  }
  t.regex(await policyOf(key), /^"tier-60s"/)
  t.regex(await policyOf('ohlcv_test_sk_unknown'), /^"address-60s"/)
  const { rows } = await db.query<{ lineage: string }>('select lineage::text from api_usage')
  t.false(rows.some(({ lineage }) => lineage.includes('address')))
})

test('each address has its own requests, and a forged header gives no more', async (t) => {
  const limited = { 'X-Forwarded-For': '198.51.100.7' }
  const before = await metricOf('limited')
  const statuses = new Set<number>()
  let refused: Response | undefined
  for (let count = 0; count < LIMIT + 1; count += 20) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        // The header as the client sent it comes before the address that the proxy adds.
        visit('/swaps?limit=1', {
          'X-Forwarded-For': `192.0.2.${n}, ${limited['X-Forwarded-For']}`,
        }),
      ),
    )
    for (const each of answers) statuses.add(each.status)
    refused = answers.find(({ status }) => status === 429) ?? refused
  }
  t.deepEqual([...statuses].sort(), [200, 429])
  t.is(refused?.headers.get('X-RateLimit-Remaining'), '0')
  t.regex(refused?.headers.get('Retry-After') ?? '', /^\d+$/)
  t.true((await metricOf('limited')) > before)
  // A page of it is the shell with the status, and comes again by itself.
  const page = await visit(`/token/${mint(0)}`, { ...limited, Accept: BROWSER })
  t.is(page.status, 429)
  t.regex(page.headers.get('Retry-After') ?? '', /^\d+$/)
  t.regex(await page.text(), /<script type="module" src="\//)
  t.is((await visit(`/preview/token/${mint(0)}.png`, limited)).status, 429)
  t.is((await visit('/sitemap.xml', limited)).status, 429)
  t.is((await visit('/swaps?limit=1')).status, 200, 'another address')
  const { key } = under()
  t.is((await visit('/swaps?limit=1', { ...limited, 'X-API-Key': key })).status, 200, 'a key')
})

async function metricOf(outcome: string): Promise<number> {
  return sampleOf(await metrics.metrics(), 'swaptide_public_requests_total', { outcome }) ?? 0
}

test('without public pages nothing of it exists', async (t) => {
  const { url } = closed().api
  const page = await fetch(`${url}/token/${mint(0)}`, { headers: { Accept: BROWSER } })
  t.is(page.status, 200)
  t.notRegex(await page.text(), /og:|swaptide-pages|canonical/)
  for (const path of [
    '/sitemap.xml',
    '/sitemap/pages.xml',
    '/preview/site.png',
    '/swaps?limit=1',
    '/',
  ])
    t.is((await fetch(url + path, { headers: CRAWLER })).status, 401, path)
  t.regex(await (await fetch(`${url}/robots.txt`)).text(), /^Disallow: \/$/m)
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object }
  t.false('/sitemap.xml' in paths)
})

test('a handshake of WebSocket without a key is refused where there is no feed or no public page', async (t) => {
  const socket = new WebSocket(`${closed().api.url.replace('http', 'ws')}/ws/v1`)
  const error = await new Promise<Error>((resolve) => socket.once('error', resolve))
  t.regex(error.message, /40[14]/)
})
