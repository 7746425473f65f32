// Each state of each page in a real browser: loading, empty, failed, unreachable, limited, stale, feed cut, and no valid key.
// Answers are held, replaced or cut between the browser and a real API, as a proxy or a broken network does.

import test, { type ExecutionContext } from 'ava'
import type { Locator, Page, Route, WebSocketRoute } from 'playwright-core'
import { openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { PATIENT_MS } from '../support/api/api-under-test.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { type FeedApi, feedApi } from '../support/feed/feed-api.ts'
import { mint, signatureOf, trader } from '../support/market/sample-swap.ts'
import { brokenRules, forFile, signedIn } from '../support/pages.ts'
import { CHROMIUM } from '../support/web/chromium.ts'
import { newSwaps } from '../support/web/new-swaps.ts'
import { until } from '../support/workers/pipeline.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const SIGNATURE = signatureOf(1)

type Shown = {
  path: string
  /** Shown where the database is empty. */
  empty: string | readonly string[]
  /** False: what is shown never changes, and is requested once. */
  isRenewed?: false
  /** Whether the page follows the feed over the swaps of this file. */
  isLive?: true
}

const PAGES: Readonly<Record<string, Shown>> = {
  market: {
    path: '/',
    empty: [
      'No token traded in 1h.',
      'No swap of 50 SOL is indexed yet.',
      'No creation of a pool is indexed.',
    ],
    isLive: true,
  },
  token: { path: `/token/${mint(0)}`, empty: 'Not found', isLive: true },
  transaction: { path: `/tx/${SIGNATURE}`, empty: 'has no indexed swap', isRenewed: false },
  wallet: { path: `/wallet/${trader(1)}`, empty: 'No position of this kind is indexed.' },
  leaderboard: { path: '/leaderboard', empty: 'No wallet traded in 7d.' },
  screener: { path: '/screener', empty: 'No token fits these filters in 24h.' },
  account: { path: '/account', empty: 'Requests of this month' },
}
const EACH = Object.entries(PAGES)

const WAIT_SECONDS = 3_599
/** Outcomes of an answer, by the state that each leads to, with what the page shows then. */
const STATES = {
  failed: {
    answer: (route: Route) => route.fulfill({ status: 500, json: { error: 'broken' } }),
    title: 'The server failed',
    next: /^Next attempt in \d+ s\.$/,
  },
  unreachable: {
    answer: (route: Route) => route.abort('connectionreset'),
    title: 'The server does not answer',
    next: /^Next attempt in \d+ s\.$/,
  },
  limited: {
    answer: (route: Route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': String(WAIT_SECONDS) },
        json: { error: 'rate limit reached' },
      }),
    title: 'Request limit reached',
    // The wait that the server named, less what passed.
    next: /^Next attempt in 5\d min\.$/,
  },
} as const
const RENEWED_MS_MAX = 60_000

const startedOf = forFile(async (t) => {
  const started = await feedApi(t)
  const { key } = await started.keyFor('enterprise')
  return { ...started, key }
})
const openedOf = forFile(async (t) => {
  if (CHROMIUM === undefined) return undefined
  const { api, key } = startedOf()
  return (await signedIn(t, { url: api.url, key }, '/account')).page
})

let under: FeedApi & { key: string }
let page: Page
test.serial.before(() => {
  under = startedOf()
  page = openedOf() as Page
})

/** A figure, or that there is none. */
const answered = () => page.locator('main .num[title], main .empty').first()

const openAt = (path: string) => page.goto(under.api.url + path)

/** Answers of the API go through `answer` until the result is called. */
async function intercept(answer: (route: Route) => Promise<void>): Promise<() => Promise<void>> {
  const onRoute = (route: Route): Promise<void> =>
    route.request().resourceType() === 'fetch' ? answer(route) : route.fallback()
  await page.route('**/*', onRoute)
  return () => page.unroute('**/*', onRoute)
}

/** Stores swaps of one token and two wallets. */
function fill(): Promise<void> {
  return insertLedger(under.pipeline.db, newSwaps())
}

/** Presses each button until none is left: what an answer brings may have failed before. */
async function retryAll(problems: Locator): Promise<void> {
  const buttons = problems.getByRole('button', { name: 'Try again' })
  await until('no problem is left', PATIENT_MS, async () => {
    await buttons.evaluateAll((found) => {
      for (const button of found as unknown as { click(): void }[]) button.click()
    })
    return (await problems.count()) === 0
  })
}

async function expectAccessible(t: ExecutionContext, name: string): Promise<void> {
  t.deepEqual(await brokenRules(page), [], name)
}

inBrowser(`an empty database is shown as such on each page${WHY_SKIPPED}`, async (t) => {
  for (const [name, { path, empty }] of EACH) {
    await openAt(path)
    for (const text of [empty].flat()) await page.getByText(text).first().waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    await expectAccessible(t, name)
  }
  await fill()
})

inBrowser(`each page shows that it waits for its answers${WHY_SKIPPED}`, async (t) => {
  for (const [name, { path }] of EACH) {
    const held: Route[] = []
    let isHeld = true
    const release = await intercept(async (route) => {
      if (isHeld) held.push(route)
      else await route.fallback()
    })
    await openAt(path)
    await page.locator('main .loading[role=status]').first().waitFor()
    t.is(await page.locator('main [data-figure] .num[title]').count(), 0, name)
    isHeld = false
    await Promise.all(held.map((route) => route.continue()))
    await release()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    await answered().waitFor()
    t.deepEqual(await page.locator('.trouble').allTextContents(), [], name)
  }
})

for (const [state, { answer, title, next }] of Object.entries(STATES)) {
  inBrowser(
    `each page shows that its answers are ${state}, and recovers${WHY_SKIPPED}`,
    async (t) => {
      for (const [name, { path }] of EACH) {
        const release = await intercept(answer)
        await openAt(path)
        const trouble = page.locator('.trouble')
        await trouble.first().waitFor()
        await page.locator('.loading').first().waitFor({ state: 'detached' })
        for (const found of await trouble.locator('strong').allTextContents())
          t.is(found, title, name)
        t.regex((await trouble.locator('.quiet').first().textContent()) ?? '', next, name)
        t.is(await page.locator('main [data-figure] .num[title]').count(), 0, name)
        if (name === 'market') await expectAccessible(t, state)
        await release()
        await retryAll(trouble)
        await answered().waitFor()
      }
    },
  )
}

inBrowser(
  `figures of a page stay while later answers fail, with their age${WHY_SKIPPED}`,
  async (t) => {
    await page.clock.install()
    for (const [name, { path, isRenewed }] of EACH) {
      await openAt(path)
      await answered().waitFor()
      await page.waitForLoadState('networkidle')
      const before = await page.locator('main .num[title]').count()
      const release = await intercept(STATES.failed.answer)
      await page.clock.fastForward(RENEWED_MS_MAX + 1_000)
      const stale = page.locator('.stale')
      if (isRenewed === false) {
        await page.waitForLoadState('networkidle')
        t.is(await stale.count(), 0, name)
      } else {
        await stale.first().waitFor()
        t.regex(
          (await stale.first().textContent()) ?? '',
          /^The server failed: these figures are 1 min old\. broken\. /,
        )
        if (name === 'market') await expectAccessible(t, name)
      }
      t.true((await page.locator('main .num[title]').count()) >= before, name)
      await release()
      await retryAll(stale)
    }
    await page.clock.resume()
  },
)

inBrowser(`a page whose feed is cut shows for how long, and resumes${WHY_SKIPPED}`, async (t) => {
  const sockets: WebSocketRoute[] = []
  let isCut = false
  await page.routeWebSocket('**/ws/v1', (socket) => {
    if (isCut) return void socket.close()
    socket.connectToServer()
    sockets.push(socket)
  })
  for (const [name, { path, isLive }] of EACH) {
    if (isLive === undefined) continue
    await openAt(path)
    const mark = page.locator('header .feed')
    await mark.getByText('live', { exact: true }).waitFor()
    await page.locator('main .num[title]').first().waitFor()
    isCut = true
    await Promise.all(sockets.splice(0).map((socket) => socket.close()))
    await mark.getByText(/^feed cut for \d+ s$/).waitFor()
    t.true((await page.locator('main .num[title]').count()) > 0, name)
    isCut = false
    await mark.getByText(/^live, resumed after \d+ s$/).waitFor()
  }
})

inBrowser(
  `a page without a valid key asks for one, and continues with it${WHY_SKIPPED}`,
  async (t) => {
    const { page } = await openPage(t, `${under.api.url}/robots.txt`)
    for (const [name, { path }] of EACH) {
      await page.context().clearCookies()
      await page.goto(under.api.url + path)
      const heading = page.getByRole('heading', { name: 'Sign in with an API key' })
      await heading.waitFor()
      await page.getByLabel('API key').fill('ohlcv_test_sk_0123456789abcdefghijklmn')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').waitFor()
      await page.getByLabel('API key').fill(under.key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await heading.waitFor({ state: 'detached' })
      t.is(new URL(page.url()).pathname, path, name)
      await page.locator('.panel, .tiles').first().waitFor()
    }
  },
)
