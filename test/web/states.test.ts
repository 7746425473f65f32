// Each page over an empty database, and without a valid key, in a real browser.

import test from 'ava'
import { openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { type FeedApi, feedApi } from '../support/feed/feed-api.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'
import { brokenRules, forFile, signedIn } from '../support/pages.ts'
import { CHROMIUM } from '../support/web/chromium.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const SIGNATURE = signatureOf(1)

type Shown = {
  path: string
  /** Shown where the database is empty. */
  empty: string
}

const PAGES: Readonly<Record<string, Shown>> = {
  market: { path: '/', empty: 'No token traded in 1h.' },
  token: { path: `/token/${mint(0)}`, empty: 'Not found' },
  transaction: { path: `/tx/${SIGNATURE}`, empty: 'has no indexed swap' },
  wallet: {
    path: `/wallet/${trader(1)}`,
    empty: 'No position of this kind is indexed.',
  },
  leaderboard: { path: '/leaderboard', empty: 'No wallet traded in 7d.' },
  screener: { path: '/screener', empty: 'No token fits these filters in 24h.' },
  account: { path: '/account', empty: 'Requests of this month' },
}
const EACH = Object.entries(PAGES)

let under: FeedApi & { key: string }
let filled: Promise<void> | undefined
const startedOf = forFile(async (t) => {
  const started = await feedApi(t)
  return { ...started, key: (await started.keyFor('enterprise')).key }
})

test.serial.before(() => {
  under = startedOf()
})

/** Stores swaps of one token and two wallets, once. */
function fill(): Promise<void> {
  filled ??= insertLedger(
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
  return filled
}

inBrowser(`an empty database is shown as such on each page${WHY_SKIPPED}`, async (t) => {
  const { page } = await signedIn(t, { url: under.api.url, key: under.key }, '/')
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
    await fill()
    for (const [name, { path }] of EACH) {
      const { page } = await openPage(t, under.api.url + path)
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
      await page.context().browser()?.close()
    }
  },
)
