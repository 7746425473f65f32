// The market, the leaderboard and the screener at a slot of the address: lists of then, and panels of now, which are marked.

import test from 'ava'
import { WHY_SKIPPED } from '../../../api/openapi/browser.ts'
import type { Demo } from '../../../support/deploy/demo.ts'
import {
  assertLooks,
  demoForFile,
  figuresOf,
  type Row,
  readAs,
  settle,
  signedIn,
  WIDTHS,
} from '../../../support/pages.ts'
import { CHROMIUM } from '../../../support/web/chromium.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial

const demoOf = demoForFile()
let demo: Demo

test.serial.before(() => {
  demo = demoOf()
})

const listOf = async (path: string): Promise<Row[]> =>
  (await readAs<Record<'data', Row[]>>(demo, path)).data

for (const width of WIDTHS) {
  inBrowser(
    `lists of the market are of the slot of the address, and other panels say now: ${width} wide${WHY_SKIPPED}`,
    async (t) => {
      const whales = '/swaps/whale?min_sol=5&limit=15'
      const slot = String((await listOf(whales)).at(-1)?.slot)
      const then = await listOf(`${whales}&as_of_slot=${slot}`)
      t.true(then.length > 0)
      const { page, complaints } = await signedIn(t, demo, '/account', { width })
      await page.goto(`${demo.url}/?whales=5&slot=${slot}`)
      await page.locator('.whales [data-trade]').first().waitFor()
      await settle(page)
      t.is(await page.locator('.slot-line.pinned').getAttribute('data-slot'), slot)
      const shown = await figuresOf(page, 'data-trade', '.whales [data-trade]')
      t.deepEqual(
        [...shown.keys()].map((name) => name.split(' ')[0]),
        then.map(({ signature }) => String(signature)),
      )
      const created = await listOf(`/pool-events?event=created&limit=10&as_of_slot=${slot}`)
      const pools = page.locator('.pools a[href^="/tx/"]')
      t.deepEqual(
        await pools.evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
        created.map(({ signature }) => `/tx/${signature}`),
      )
      const marksOf = async (panel: string): Promise<string[]> =>
        page.locator(`.panel.${panel} .slot-mark`).allInnerTexts()
      for (const panel of ['whales', 'pools']) t.deepEqual(await marksOf(panel), [], panel)
      for (const panel of ['totals', 'trending', 'movers'])
        t.deepEqual(await marksOf(panel), ['now'], panel)
      await assertLooks(t, page, 'market-of-then')
      for (const [path, panels] of [
        ['leaderboard', ['ranks', 'calendar']],
        ['screener', ['screened']],
      ] as const) {
        await page.goto(`${demo.url}/${path}?slot=${slot}`)
        await settle(page)
        await page.locator('.slot-line.pinned').waitFor()
        for (const panel of panels) t.deepEqual(await marksOf(panel), ['now'], panel)
        await assertLooks(t, page, `${path}-of-then`)
      }
      await page.goto(`${demo.url}/?whales=5`)
      await page.locator('.whales [data-trade]').first().waitFor()
      t.is(await page.locator('.slot-mark, .slot-line').count(), 0)
      t.deepEqual(complaints, [])
    },
  )
}
