// The first view of a token's candles, without a choice in the address, over pools that trade much and seldom.

import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { DAY_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { apiUnderTest } from '../support/api/api-under-test.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../support/market/sample-swap.ts'
import { settle, takePicture, widthBeyond } from '../support/pages.ts'
import { CHROMIUM } from '../support/web/chromium.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const SOL = 1_000_000_000

type Trading = { token: number; pool: number; count: number; everyMs: number; endsMsAgo: number }

let signatures = 0

function tradesOf({ token, pool, count, everyMs, endsMsAgo }: Trading) {
  const end = Date.now() - endsMsAgo
  return Array.from({ length: count }, (_, n) => {
    const timestamp = end - (count - 1 - n) * everyMs
    return sampleSwap({
      signature: signatureOf(signatures++),
      slot: Math.floor(timestamp / 400),
      timestamp,
      tokenAddress: mint(token),
      pairAddress: pair(pool),
      solAmount: SOL + (n % 5) * 1_000_000,
      tokenAmount: 1_000_000_000,
    })
  })
}

/** Candles that the chart states, with their timeframe. */
async function firstViewOf(page: Page, url: string, token: number, choice = '') {
  await page.goto(`${url}/token/${mint(token)}${choice}`)
  await settle(page)
  const label = await page.locator('.candles[role="img"]').getAttribute('aria-label')
  const [, count, timeframe] = /, ([\d,]+) candles? of (\w+)$/.exec(String(label)) ?? []
  const note = String(await page.locator('.chart .panel-head').textContent())
  return { count: Number(count), timeframe, isOther: note.includes('the busiest pool') }
}

inBrowser(
  `the first view of a token shows thirty candles where it has them${WHY_SKIPPED}`,
  async (t: ExecutionContext) => {
    const { api, key, db } = await apiUnderTest(t)
    await insertSwaps(
      db,
      [
        // A busy hour; a trade a day; a quiet day after busy ones, in another pool; a token that is new.
        { token: 1, pool: 1, count: 60, everyMs: MINUTE_MS, endsMsAgo: 0 },
        { token: 2, pool: 2, count: 40, everyMs: DAY_MS, endsMsAgo: MINUTE_MS },
        { token: 3, pool: 3, count: 300, everyMs: MINUTE_MS, endsMsAgo: 3 * DAY_MS },
        { token: 3, pool: 4, count: 1, everyMs: MINUTE_MS, endsMsAgo: MINUTE_MS },
        { token: 4, pool: 5, count: 3, everyMs: MINUTE_MS, endsMsAgo: 0 },
      ].flatMap(tradesOf),
      { hasPrices: true },
    )
    const { page } = await openPage(t, api.signInLink(key), { width: 390 })
    const view = (token: number, choice?: string) => firstViewOf(page, api.url, token, choice)
    const sol = '?unit=SOL'
    t.deepEqual(await view(1, sol), { count: 60, timeframe: '1m', isOther: false })
    t.deepEqual(await view(2, sol), { count: 40, timeframe: '1m', isOther: false })
    t.deepEqual(await view(3, sol), { count: 300, timeframe: '1m', isOther: true })
    await takePicture(page, 'candles-of-another-pool')
    t.true((await widthBeyond(page)) <= 0)
    t.deepEqual(await view(4, sol), { count: 3, timeframe: '1m', isOther: false })
    // Every timeframe is of the same pool; a chosen pool is shown as it is.
    t.like(await view(3, `${sol}&timeframe=4h`), { timeframe: '4h', isOther: true })
    t.deepEqual(await view(3, `${sol}&pool=${pair(4)}`), {
      count: 1,
      timeframe: '1m',
      isOther: false,
    })
  },
)
