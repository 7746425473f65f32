// Pages on a phone with the longest texts and the largest and smallest amounts: no page is wider than the screen.

import test from 'ava'
import type { Page } from 'playwright-core'
import { openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { type Demo, startDemo } from '../support/deploy/demo.ts'
import { mint, pair, signatureOf, trader } from '../support/market/sample-swap.ts'
import { forFile, settle, signedIn, takePicture } from '../support/pages.ts'
import { CHROMIUM } from '../support/web/chromium.ts'
import { extremeLines, LONG_TEXTS, TRADER } from '../support/web/extreme-market.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const WIDTHS = [360, 390] as const
const SCHEMES = ['light', 'dark'] as const

/** This file shares no demo: the other pages would show its texts. */
const demoOf = forFile(startDemo)
let demo: Demo

test.serial.before(async (t) => {
  demo = demoOf()
  const kols = [TRADER, ...LONG_TEXTS.map((_, n) => trader(n + 1))].map((wallet, n) =>
    JSON.stringify({
      wallet,
      display_name: LONG_TEXTS[n % LONG_TEXTS.length],
      twitter_handle: 'W'.repeat(15),
    }),
  )
  for (const [argv, input] of [
    [['ingest', '-'], extremeLines(Date.now())],
    [['import', 'kols', '-'], kols.join('\n')],
    [['keys', 'create', '--tier', 'free', '--env', 'test', '--account', 'W'.repeat(200)], ''],
    [['status', '--wait', '--timeout', '120']],
  ] as const) {
    const { code, stderr } = await demo.run(argv, input)
    t.is(code, 0, stderr)
  }
})

/** Boxes that are wider than the screen, or whose content is wider than they are and not scrolled. */
const TOO_WIDE = `(() => {
  const wide = []
  const root = document.documentElement
  if (root.scrollWidth > innerWidth) wide.push('the page by ' + (root.scrollWidth - innerWidth) + ' px')
  const isCut = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      if (getComputedStyle(each).overflowX !== 'visible') return true
    }
    return false
  }
  for (const element of document.querySelectorAll('header *, main *, footer *')) {
    const { right, left, width } = element.getBoundingClientRect()
    if (width === 0 || !element.checkVisibility() || isCut(element)) continue
    const box = element.closest('.panel, .tile, header, footer, main')?.getBoundingClientRect()
    const edge = Math.min(innerWidth, box === undefined ? innerWidth : box.right)
    if (right > edge + 1 || left < -1)
      wide.push(element.tagName + '.' + element.className + ' by ' + Math.round(right - edge) + ': ' + element.textContent.slice(0, 40))
  }
  return wide.slice(0, 5)
})()`

const TWO_FRAMES =
  'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))'

/** Parts of the page that do not fit, in both schemes at each width. */
async function misfitsOf(page: Page, title: string): Promise<string[]> {
  const misfits: string[] = []
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      // Plots follow the width of their box with the next frame.
      await page.evaluate(TWO_FRAMES)
      await takePicture(page, `extreme-${title}-${colorScheme}-${width}`)
      const found = await page.evaluate<string[]>(TOO_WIDE)
      misfits.push(...found.map((each) => `${title}, ${colorScheme}, ${width} wide: ${each}`))
    }
  }
  return misfits
}

const PAGES: Readonly<Record<string, string>> = {
  market: '/',
  'market-24h': '/?window=24h&movers=24h&whales=5',
  ...Object.fromEntries(
    LONG_TEXTS.map((_, n) => [
      `token-${n}`,
      `/token/${mint(n)}?wallet=${trader(n)}&pool=${pair(n)}&parts=${['price', 'cap', 'liquidity', '24h'][n % 4]}`,
    ]),
  ),
  ...Object.fromEntries(
    LONG_TEXTS.map((_, n) => [`transaction-${n}`, `/tx/${signatureOf(n * 6)}`]),
  ),
  wallet: `/wallet/${TRADER}?period=all&status=all&lots=${mint(0)}`,
  'wallet-raw': `/wallet/${TRADER}?period=all&status=all&pnl_mode=raw&parts=value&day=${new Date().toISOString().slice(0, 10)}`,
  'wallet-parts': `/wallet/${trader(1)}?status=all&parts=realized&lots=${mint(0)}`,
  leaderboard: '/leaderboard?period=1d&pnl_mode=raw',
  'leaderboard-90d': '/leaderboard?days=90',
  screener:
    '/screener?sort=volume_usd&columns=name,price_usd,price_sol,change_pct,volume_usd,volume_sol,liquidity_usd,liquidity_sol,trades,buys,sells,buyers,sellers,holders,age_minutes,sector,protocols',
  account: '/account',
  unknown: `/${'W'.repeat(500)}`,
}

const CONSOLE_PAGES = [
  ...['', 'charts', 'dead-letters', 'keys', 'kols', 'sectors', 'replays', 'sources', 'audit'],
]

inBrowser(
  `no page is wider than a phone with extreme texts and amounts${WHY_SKIPPED}`,
  async (t) => {
    const { page } = await signedIn(t, demo, '/account', { width: WIDTHS[0] })
    const misfits: string[] = []
    for (const [title, path] of Object.entries(PAGES)) {
      await page.goto(demo.url + path)
      await settle(page)
      misfits.push(...(await misfitsOf(page, title)))
    }
    await page.goto(`${demo.url}/screener`)
    await page.locator('.columns summary').click()
    misfits.push(...(await misfitsOf(page, 'columns')))
    await page.locator('.filters summary').click()
    misfits.push(...(await misfitsOf(page, 'filters')))
    for (const [text, result] of [
      ['W', 'token'],
      [pair(2), 'pool'],
      [trader(1), 'wallet'],
      ['W'.repeat(2_000), 'Nothing found'],
    ] as const) {
      await page.getByRole('combobox', { name: /^Search/ }).fill(text)
      const option = page.getByRole('option').filter({ hasText: result })
      await option.first().waitFor()
      misfits.push(...(await misfitsOf(page, `search-${result}`)))
      t.true(await option.first().isVisible(), result)
    }
    t.deepEqual(misfits, [])
  },
)

inBrowser(
  `no page of the console is wider than a phone with extreme texts${WHY_SKIPPED}`,
  async (t) => {
    const { page } = await openPage(t, `${demo.url}/robots.txt`, { width: WIDTHS[0] })
    await page.evaluate(
      (token) =>
        fetch('/admin/session', { method: 'POST', headers: { Authorization: `Bearer ${token}` } }),
      demo.adminKey,
    )
    const misfits: string[] = []
    for (const title of CONSOLE_PAGES) {
      await page.goto(`${demo.url}/admin/${title}`)
      await settle(page)
      misfits.push(...(await misfitsOf(page, `console-${title}`)))
    }
    t.deepEqual(misfits, [])
  },
)
