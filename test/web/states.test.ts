// Each page in each of its states, in a real browser: empty, loading, failed, limited, stale, and without a valid key. The
// states of the network are made between browser and server; empty and the keys are real.

import test, { type ExecutionContext } from 'ava'
import type { Page, Route } from 'playwright-core'
import { CHROMIUM, openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { type FeedApi, feedApi } from '../support/feed/feed-api.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'
import { brokenRules } from '../support/pages.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const SIGNATURE = signatureOf(1)
const WAIT_SECONDS = 30
/** Longer than any page waits before it renews its figures. */
const RENEWED_MS = 61_000

type Shown = {
  path: string
  /** Shown where the database is empty. */
  empty: string
  /** Whether the page renews its figures by itself. */
  isRenewed: boolean
}

const PAGES: Readonly<Record<string, Shown>> = {
  market: { path: '/', empty: 'No token traded in 1h.', isRenewed: true },
  token: { path: `/token/${mint(0)}`, empty: 'Not found', isRenewed: true },
  transaction: { path: `/tx/${SIGNATURE}`, empty: 'has no indexed swap', isRenewed: false },
  wallet: {
    path: `/wallet/${trader(1)}`,
    empty: 'No position of this kind is indexed.',
    isRenewed: true,
  },
  leaderboard: { path: '/leaderboard', empty: 'No wallet traded in 7d.', isRenewed: true },
  screener: { path: '/screener', empty: 'No token fits these filters in 24h.', isRenewed: true },
  account: { path: '/account', empty: 'Requests of this month', isRenewed: true },
}
const EACH = Object.entries(PAGES)

let under: FeedApi
let key = ''
const ends: (() => unknown)[] = []

test.serial.before(async () => {
  const t = { teardown: (end: () => unknown) => ends.unshift(end), log: () => {}, passed: true }
  under = await feedApi(t as unknown as ExecutionContext)
  key = (await under.keyFor('enterprise')).key
})
test.after.always(async () => {
  for (const end of ends) await end()
})

async function signedIn(t: ExecutionContext): Promise<Page> {
  const { page } = await openPage(t, `${under.api.url}/robots.txt`)
  await page.evaluate(
    (value) => fetch('/session', { method: 'POST', headers: { 'X-API-Key': value } }),
    key,
  )
  return page
}

/** Answers every request of the pages for data in this way until the result is called. */
async function answering(page: Page, answer: (route: Route) => unknown) {
  const handler = (route: Route): unknown =>
    route.request().resourceType() === 'fetch' ? answer(route) : route.fallback()
  await page.route('**/*', handler)
  return () => page.unroute('**/*', handler)
}

const refusal =
  (status: number, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({
      status,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ error: { code: 'TEST', message: `answered with ${status}` } }),
    })

inBrowser(`an empty database is shown as such on each page${WHY_SKIPPED}`, async (t) => {
  const page = await signedIn(t)
  for (const [name, { path, empty }] of EACH) {
    await page.goto(under.api.url + path)
    await page.getByText(empty).first().waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    t.deepEqual(await brokenRules(page), [], name)
  }
})

inBrowser(
  `a page without a valid key asks for one, and continues with it${WHY_SKIPPED}`,
  async (t) => {
    await insertLedger(
      under.pipeline.db,
      Array.from({ length: 12 }, (_, n) =>
        sampleSwap({
          signature: signatureOf(n),
          slot: 1_000 + n,
          timestamp: Date.now() - 60_000 + n,
          tokenAddress: mint(0),
          pairAddress: pair(0),
          user: trader(n % 2),
          isBuy: n < 8,
        }),
      ),
    )
    for (const [name, { path }] of EACH) {
      const { page } = await openPage(t, under.api.url + path)
      const heading = page.getByRole('heading', { name: 'Sign in with an API key' })
      await heading.waitFor()
      await page.getByLabel('API key').fill('ohlcv_test_sk_0123456789abcdefghijklmn')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').waitFor()
      await page.getByLabel('API key').fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await heading.waitFor({ state: 'detached' })
      t.is(new URL(page.url()).pathname, path, name)
      await page.locator('.panel, .tiles').first().waitFor()
      await page.context().browser()?.close()
    }
  },
)

for (const [name, { path, isRenewed }] of EACH) {
  inBrowser(`${name}: loading, failed, limited and stale are shown${WHY_SKIPPED}`, async (t) => {
    const page = await signedIn(t)
    await page.clock.install()
    const alerts = page.getByRole('alert')
    const hung: Route[] = []
    const letGo = await answering(page, (route) => hung.push(route))
    await page.goto(under.api.url + path)
    await page.getByRole('status', { name: 'Loading' }).first().waitFor()
    await letGo()
    for (const route of hung) await refusal(500)(route)
    await alerts.filter({ hasText: 'The server failed' }).first().waitFor()
    t.regex(String(await alerts.first().textContent()), /answered with 500/)
    t.deepEqual(await brokenRules(page), [])

    const stopLimit = await answering(page, refusal(429, { 'Retry-After': String(WAIT_SECONDS) }))
    await alerts.first().getByRole('button', { name: 'Try again' }).click()
    const limited = alerts.filter({ hasText: 'Request limit reached' }).first()
    await limited.getByText(/Next attempt in (?:29|30) s/).waitFor()
    await stopLimit()
    // The page continues by itself after the wait that the server named.
    await page.clock.fastForward((WAIT_SECONDS + 1) * 1_000)
    for (let turns = 0; turns < 3; turns++) await page.clock.runFor(31_000)
    await alerts.first().waitFor({ state: 'detached' })
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    if (!isRenewed) return

    const reconnect = await answering(page, (route) => route.abort())
    await page.clock.runFor(RENEWED_MS)
    const stale = page.locator('.stale').filter({ hasText: /figures are .+ old/ })
    await stale.first().waitFor()
    await stale.first().getByText('The server does not answer').waitFor()
    t.true((await page.locator('main .num, main .empty').count()) > 0, 'the figures stay')
    await reconnect()
    while ((await stale.count()) > 0) {
      await stale.first().getByRole('button', { name: 'Try again' }).click({ timeout: 5_000 })
      await page.clock.runFor(1_000)
    }
    t.is(await alerts.count(), 0)
  })
}
