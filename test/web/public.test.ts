// Public pages in a real browser without a key: figures, live feed, links, and the sign-in that only the account needs.

import test from 'ava'
import { WebSocket } from 'ws'
import { openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { PATIENT_MS } from '../support/api/api-under-test.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { feedApi } from '../support/feed/feed-api.ts'
import { mint, trader } from '../support/market/sample-swap.ts'
import { assertLooks, forFile, WIDTHS } from '../support/pages.ts'
import { CHROMIUM } from '../support/web/chromium.ts'
import { newSwaps } from '../support/web/new-swaps.ts'
import { until } from '../support/workers/pipeline.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
/** Number that docs/public-pages.md states. */
const STREAMS_MAX = 5

const startedOf = forFile(async (t) => {
  const started = await feedApi(t, {
    api: { publicPages: { requestsMax: 100_000, proxies: [] } },
  })
  const { db } = started.pipeline
  await insertSwaps(db, newSwaps(), { hasPrices: true })
  await insertLedger(db, [])
  return started
})

/** The part of an element of the browser that is read here. */
type Located = { content?: string; textContent: string | null }

inBrowser(`a visitor reads the pages live without a key${WHY_SKIPPED}`, async (t) => {
  const { url } = startedOf().api
  for (const width of WIDTHS) {
    const { page, complaints } = await openPage(t, `${url}/token/${mint(0)}`, { width })
    await page.locator('main .num[title]').first().waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    t.is(await page.getByRole('heading', { name: 'Sign in with an API key' }).count(), 0)
    t.is(await page.locator('nav a[href="/admin"], nav a[href="/graphql"]').count(), 0)
    await assertLooks(t, page, 'public-token')
    // The account needs a key; the next page does not, without a reload.
    await page.locator('nav a[href="/account"]').click()
    await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor()
    await page.locator('nav a[href="/"]').click()
    await page.locator('main .num[title]').first().waitFor()
    t.is(await page.getByRole('heading', { name: 'Sign in with an API key' }).count(), 0)
    await page.goto(`${url}/wallet/${trader(0)}`)
    await page.locator('main .num[title]').first().waitFor()
    await assertLooks(t, page, 'public-wallet')
    t.deepEqual(complaints, [])
  }
})

inBrowser(`a page of nothing says so with and without scripts${WHY_SKIPPED}`, async (t) => {
  const { url } = startedOf().api
  const { page } = await openPage(t, `${url}/robots.txt`)
  const answer = await page.goto(`${url}/token/${mint(9)}`)
  t.is(answer?.status(), 404)
  await page.getByText('Not found').first().waitFor()
  const robots = page.locator('meta[name="robots"]')
  t.is(await robots.evaluate((found) => (found as unknown as Located).content), 'noindex')
})

test.serial(
  'an address has so many connections of the feed, and a page of another site none',
  async (t) => {
    const { api } = startedOf()
    const at = `${api.url.replace('http', 'ws')}/ws/v1`
    const opened: WebSocket[] = []
    const attempt = (headers: Record<string, string> = {}) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(at, { headers })
        socket.once('message', (text) => {
          opened.push(socket)
          resolve(String(JSON.parse(String(text)).type))
        })
        socket.once('error', ({ message }) => resolve(message))
      })
    // Pages of the tests before have closed theirs.
    await until('all connections are free', PATIENT_MS, async () => {
      while (opened.length < STREAMS_MAX && (await attempt()) === 'welcome');
      return opened.length === STREAMS_MAX
    })
    t.regex(await attempt(), /429/)
    t.regex(await attempt({ Origin: 'https://other.example' }), /401/)
    const { key } = await startedOf().keyFor('free')
    t.is(await attempt({ 'X-API-Key': key }), 'welcome')
    for (const socket of opened) socket.terminate()
  },
)
