// The first minute of a new user, on `swaptide up` with its simulated market as it starts: from the printed link to the
// lots of a whale's best trade, by clicks alone.

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
/** A whale of the demo trades every few minutes of its past. */
const ACTIVE_DAYS_MIN = 5

async function settings(t: ExecutionContext): Promise<Record<string, string>> {
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  return { ...(await homeSettings(t)), ...settingsOf(pipeline, redisUrl) }
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

    // A whale's swap, and the token that it bought, with its candles.
    const whale = page.locator('.whales [data-trade]').first()
    await whale.waitFor()
    const wallet = await whale.locator('a[href^="/wallet/"]').first().getAttribute('href')
    await whale.locator('a[href^="/token/"]').first().click()
    await page.locator('.candles canvas').first().waitFor()
    await page.locator('.swaps [data-trade]').first().waitFor()

    await page.goBack()
    await page.locator(`.whales a[href="${wallet}"]`).first().click()
    await page.locator('.equity [data-figure="best"] button').waitFor()
    await settle(page)
    const [activeDays] = await textsOf(page, '.equity [data-figure="active_days"] dd')
    t.true(Number(activeDays) >= ACTIVE_DAYS_MIN, `${activeDays} days with a trade`)

    await page.locator('.equity [data-figure="best"] button').click()
    await page.locator('.trades-of-day [data-trade]').first().waitFor()
    await page.locator('[data-highlight="biggest_win"] .link').click()
    await page.locator('.positions [data-sell]').first().waitFor()
    t.deepEqual(complaints, [])
  },
)
