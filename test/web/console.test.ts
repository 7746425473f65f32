// The console of operators in a real browser alongside a market that every worker has processed: looks, ways and charts.

import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { type Look, openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import type { Demo } from '../support/deploy/demo.ts'
import {
  assertLooks,
  brokenRules,
  demoForFile,
  figuresOf,
  settle,
  takePicture,
  WIDTHS,
  widthBeyond,
} from '../support/pages.ts'
import { CHROMIUM } from '../support/web/chromium.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const SECTIONS = [
  ...['Lanes and jobs', 'Charts', 'Dead letters', 'Keys', 'KOLs'],
  ...['Sectors', 'Replays', 'Sources', 'History', 'Webhooks', 'Audit'],
]
const WIDE_DARK = { scheme: 'dark', width: 1_400 } as const
const NARROW_LIGHT = { scheme: 'light', width: 390 } as const
const PAGE_LINKS = ['Market', 'Screener', 'Leaderboard', 'API', 'GraphQL', 'Console', 'Account']

const demoOf = demoForFile()
let demo: Demo

test.serial.before(() => {
  demo = demoOf()
})

async function signedIn(t: ExecutionContext, path: string, look: Look = {}) {
  const opened = await openPage(t, `${demo.url}/robots.txt`, look)
  await opened.page.evaluate(
    (token) =>
      fetch('/admin/session', { method: 'POST', headers: { Authorization: `Bearer ${token}` } }),
    demo.adminKey,
  )
  await opened.page.goto(demo.url + path)
  return opened
}

for (const width of WIDTHS) {
  const looks = `${width} wide, dark and light`
  inBrowser(
    `each page of the console is accessible and fits: ${looks}${WHY_SKIPPED}`,
    async (t) => {
      const { page, complaints } = await openPage(t, `${demo.url}/admin`, { width })
      await assertLooks(t, page, 'console-sign-in')
      await page.getByLabel('Operator token').fill(demo.adminKey)
      await page.getByRole('button', { name: 'Sign in' }).click()
      const sections = page.getByRole('navigation', { name: 'Console' })
      const menu = page.getByRole('button', { name: 'Menu', exact: true })
      await page.locator('.sections').waitFor({ state: 'attached' })
      t.deepEqual(await page.locator('.sections a').allTextContents(), [...SECTIONS, 'Queues'])
      for (const title of SECTIONS) {
        await page.waitForLoadState('load')
        if (width < 640) {
          t.false(await sections.isVisible(), 'the menu is closed')
          await menu.focus()
          await page.keyboard.press('Enter')
          t.is(await menu.getAttribute('aria-expanded'), 'true')
          t.true((await widthBeyond(page)) <= 0, 'the menu fits')
        }
        await sections.getByRole('link', { name: title, exact: true }).click()
        await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
        if (title === 'Charts') await page.locator('[data-series]').first().waitFor()
        await settle(page)
        t.deepEqual(
          await page.locator('.sections [aria-current="page"]').allTextContents(),
          [title],
          'the page is marked',
        )
        await assertLooks(t, page, `console-${title.replaceAll(' ', '-')}`)
      }
      t.deepEqual(complaints, [])
    },
  )
}

inBrowser(`the menu of a phone opens and closes by the keyboard${WHY_SKIPPED}`, async (t) => {
  const { page } = await signedIn(t, '/admin/audit', { scheme: 'dark', width: 390 })
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  t.is(await page.evaluate('document.activeElement.id'), 'menu-button')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  t.is(await page.evaluate('document.activeElement.textContent'), 'Market')
  await takePicture(page, 'console-menu-dark-390')
  t.deepEqual(await brokenRules(page), [])
  await page.keyboard.press('Escape')
  t.is(await menu.getAttribute('aria-expanded'), 'false')
  t.is(await page.evaluate('document.activeElement.id'), 'menu-button')
})

type Samples = { at: string[]; series: Record<string, (number | null)[]> }

inBrowser(`the charts show what /admin/v1/samples answers${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await signedIn(t, '/admin/audit')
  const answers: Promise<Record<'data', Samples>>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/admin/v1/samples')) answers.push(response.json())
  })
  await page.goto(`${demo.url}/admin/charts`)
  await page.locator('[data-series]').first().waitFor()
  // The next answer replaces the first one.
  await page.waitForResponse('**/admin/v1/samples')
  await settle(page)
  const shown = await figuresOf(page, 'data-series')
  const { at, series } = (await answers.at(-1))?.data ?? { at: [], series: {} }
  t.true(at.length >= 2)
  let count = 0
  for (const [name, figures] of shown) {
    const values = series[name] ?? []
    const known = values.filter((value) => value !== null)
    if (known.length === 0)
      t.true(
        figures.every(({ exact }) => exact === null),
        name,
      )
    else {
      const expected = [values.at(-1) ?? null, Math.min(...known), Math.max(...known)]
      const read = figures.map(({ exact }) => (exact === null ? null : Number(exact)))
      t.deepEqual(read, expected, name)
      count += figures.length
    }
  }
  t.true(count >= 15, `${count} figures`)
  t.log(`${count} figures of ${at.length} samples`)
  t.is(await page.locator('.plot canvas').count(), await page.locator('.plot').count())
  t.deepEqual(complaints, [])
})

inBrowser(
  `each page of another program leads to the console and to the market${WHY_SKIPPED}`,
  async (t) => {
    // The pages of these programs are long: each scheme and each width once.
    for (const look of [WIDE_DARK, NARROW_LIGHT]) {
      const { page, complaints } = await signedIn(t, '/admin/queues', look)
      const name = `${look.scheme}-${look.width}`
      await page.getByText('chart-backfill').first().waitFor()
      await takePicture(page, `queues-${name}`)
      await wayOutOfQueues(page, 'Console')
      await page.getByRole('heading', { level: 1, name: 'Lanes and jobs' }).waitFor()
      await page.goto(`${demo.url}/admin/queues/queue/chart-backfill`)
      await wayOutOfQueues(page, 'Market')
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      t.is(new URL(page.url()).pathname, '/')
      for (const [path, mark] of [
        ['/docs', 'API'],
        ['/docs#/default', 'API'],
        ['/graphql', 'GraphQL'],
      ] as const) {
        await page.goto('about:blank')
        await page.goto(demo.url + path)
        await page.locator('#page > *').first().waitFor()
        const nav = page.getByRole('navigation', { name: 'Pages' })
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
        t.deepEqual(await nav.getByRole('link').allTextContents(), PAGE_LINKS)
        t.is(await nav.locator('[aria-current="page"]').textContent(), mark)
        t.true((await widthBeyond(page)) <= 0, `${path} ${name}`)
        await takePicture(page, `${mark}-${name}`)
        await nav.getByRole('link', { name: 'Console' }).click()
        await page.getByRole('heading', { level: 1, name: 'Lanes and jobs' }).waitFor()
      }
      t.deepEqual(complaints, [])
    }
  },
)

async function wayOutOfQueues(page: Page, text: string): Promise<void> {
  await page.locator('[class*="actions-"] button').last().click()
  await page.getByRole('menuitem', { name: text, exact: true }).click()
}

inBrowser(`pages of web/ and those of the server have the same links${WHY_SKIPPED}`, async (t) => {
  const { page } = await signedIn(t, '/admin')
  const nav = page.getByRole('navigation', { name: 'Pages' })
  const linksHere = () =>
    nav
      .getByRole('link')
      .evaluateAll((links) =>
        (links as unknown as { textContent: string; pathname: string }[]).map(
          ({ textContent, pathname }) => [pathname, textContent],
        ),
      )
  await nav.waitFor()
  const ofConsole = await linksHere()
  t.is(ofConsole.length, PAGE_LINKS.length)
  for (const path of ['/', '/docs']) {
    await page.goto(demo.url + path)
    await nav.waitFor()
    t.deepEqual(await linksHere(), ofConsole, path)
  }
})
