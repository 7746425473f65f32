// The first minute of a new user, on `swaptide up` with its simulated market as it starts: from the printed link to the
// lots of a whale's best trade, by clicks only.

import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { homeSettings, startUp } from '../support/deploy/started-up.ts'
import { settle } from '../support/pages.ts'
import { settingsOf } from '../support/programs/commands.ts'
import { testRedis } from '../support/servers/redis.ts'
import { CHROMIUM } from '../support/web/chromium.ts'
import { openPipeline } from '../support/workers/pipeline.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
/** A calendar of one day shows nothing. */
const ACTIVE_DAYS_MIN = 3

async function settings(t: ExecutionContext): Promise<Record<string, string>> {
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  return { ...(await homeSettings(t)), ...settingsOf(pipeline, redisUrl) }
}

/** Presses an element where it is at that moment. */
const press = (page: Page, selector: string): Promise<void> =>
  page
    .locator(selector)
    .first()
    .evaluate((found) => (found as unknown as { click(): void }).click())

/** Path of the wallet with most of the swaps that are listed. */
async function busiestWhale(page: Page): Promise<string> {
  const paths = await page
    .locator('.whales a[href^="/wallet/"]')
    .evaluateAll((links) => links.map((link) => String(link.getAttribute('href'))))
  const count = (path: string): number => paths.filter((each) => each === path).length
  return paths.toSorted((one, other) => count(other) - count(one))[0] ?? ''
}

const textsOf = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).allTextContents()

inBrowser(
  `a new user finds a whale, its best day and the lots of its best trade by clicks${WHY_SKIPPED}`,
  async (t) => {
    const up = await startUp(t, await settings(t))
    const { page, complaints } = await openPage(t, up.pagesLink)

    // The past of the market: prices of the last day have a line.
    await page.locator('.trending [data-mint]').nth(9).waitFor()
    await page.locator('.trending svg, .trending canvas').nth(9).waitFor()

    // A whale's swap leads to the token that it bought, with its candles. Rows move while whales trade.
    await page.locator('.whales [data-trade]').first().waitFor()
    await press(page, '.whales a[href^="/token/"]')
    await page.locator('.candles canvas').first().waitFor()
    await page.locator('.swaps [data-trade]').first().waitFor()

    await page.goBack()
    await page.locator('.whales [data-trade]').first().waitFor()
    await press(page, `.whales a[href="${await busiestWhale(page)}"]`)
    await page.locator('.equity [data-figure="best"] button').waitFor()
    await settle(page)
    const [activeDays] = await textsOf(page, '.equity [data-figure="active_days"] dd')
    t.true(Number(activeDays) >= ACTIVE_DAYS_MIN, `${activeDays} days with a trade`)

    await page.locator('.equity [data-figure="best"] button').click()
    await page.locator('.trades-of-day [data-trade]').first().waitFor()
    await page.locator('[data-highlight] .link').first().click()
    await page.locator('.positions [data-sell], .positions [data-lot]').first().waitFor()
    t.deepEqual(complaints, [])
  },
)
