// The page of a wallet at one slot, in a real browser over a market that every worker has processed.

import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { WHY_SKIPPED } from '../../../api/openapi/browser.ts'
import type { Demo } from '../../../support/deploy/demo.ts'
import {
  assertLooks,
  compare,
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
let wallet = ''

test.serial.before(async () => {
  demo = demoOf()
  const { leaderboard } = await read<{ leaderboard: Row[] }>(
    '/v2/pnl/leaderboard/top?period=1d&limit=50',
  )
  // One that holds something, and of these the one that traded most mints.
  let most = 0
  for (const row of leaderboard) {
    const of = `/v2/pnl/wallets/${row.wallet}`
    const { positions } = await read<{ positions: Row[] }>(`${of}/positions?limit=1`)
    const { tokens } = await read<{ tokens: Row[] }>(`${of}/tokens?window=all&limit=200`)
    if (positions.length === 0 || tokens.length <= most) continue
    most = tokens.length
    wallet = String(row.wallet)
  }
})

const read = <Answer = Row>(path: string): Promise<Answer> => readAs<Answer>(demo, path)

async function readSwaps(query: string): Promise<Row[]> {
  const answer = await read<Record<'data', Row[]>>(`/swaps/trader/${wallet}?${query}`)
  return answer.data
}

const tradeNameOf = ({ signature, pair_address, ix_index, user, is_buy }: Row): string =>
  `${signature} ${pair_address} ${ix_index} ${user} ${is_buy}`

/** The slot that the page shows. */
async function shownSlot(page: Page): Promise<string> {
  return String(await page.locator('.slot-line').getAttribute('data-slot'))
}

/** Figures of the page, all of the slot that it shows. A live page moves to a newer slot as a whole: then they are read again. */
async function figuresOfSlot(page: Page) {
  for (;;) {
    const slot = await shownSlot(page)
    const tiles = await figuresOf(page, 'class', '.tiles')
    const parts = await figuresOf(page, 'data-part')
    const traded = await figuresOf(page, 'data-trade', '.swaps [data-trade]')
    if ((await shownSlot(page)) === slot) return { slot, tiles, parts, traded }
  }
}

/** Compares the figures of the page with the answers of the routes as of its slot. Returns the number of figures. */
async function compareAt(t: ExecutionContext, page: Page): Promise<number> {
  const { slot, tiles, parts, traded } = await figuresOfSlot(page)
  const at = `as_of_slot=${slot}`
  const stats = await read(`/wallets/${wallet}/stats?window=all&${at}`)
  const { tokens } = await read<{ tokens: Row[] }>(
    `/v2/pnl/wallets/${wallet}/tokens?window=all&pnl_mode=adjusted&limit=200&${at}`,
  )
  const swaps = await readSwaps(`limit=25&${at}`)
  const ofStats = [...tiles.values()].flat().filter(({ name }) => name === 'total_volume_sol')
  let count = compare(t, slot, ofStats, stats)
  t.is(count, 1)
  t.is(parts.size, Math.min(tokens.length, 20))
  for (const row of tokens) count += compare(t, slot, parts.get(String(row.mint)) ?? [], row)
  t.deepEqual([...traded.keys()], swaps.map(tradeNameOf))
  for (const row of swaps) count += compare(t, slot, traded.get(tradeNameOf(row)) ?? [], row)
  return count
}

const PATH = () => `/wallet/${wallet}?period=all&parts=volume`

inBrowser(`figures of a wallet are those of the routes as of its slot${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await signedIn(t, demo, PATH())
  await page.locator('.parts [data-sum]').waitFor()
  await settle(page)
  const count = await compareAt(t, page)
  t.log(`${count} figures`)
  t.true(count > 20, `${count}`)
  t.deepEqual(complaints, [])
})

inBrowser(
  `an address with a slot opens the page of then, without a feed${WHY_SKIPPED}`,
  async (t) => {
    const swaps = await readSwaps('limit=200')
    const slot = String(swaps[Math.floor(swaps.length / 2)]?.slot)
    const { page, complaints } = await signedIn(t, demo, '/account')
    let sockets = 0
    page.on('websocket', () => {
      sockets += 1
    })
    await page.goto(`${demo.url}${PATH()}&slot=${slot}`)
    await page.locator('.parts [data-sum]').waitFor()
    await settle(page)
    const strip = page.locator('.slot-line.pinned')
    t.regex(
      String(await strip.textContent()),
      new RegExp(`^As of slot ${slot}, \\d{4}-.* UTC Show now$`),
    )
    t.is(await shownSlot(page), slot)
    await compareAt(t, page)
    const newest = new Date(Number(swaps.find((row) => String(row.slot) === slot)?.timestamp))
    t.true(String(await strip.textContent()).includes(newest.toISOString().slice(0, 10)))
    t.is(sockets, 0)
    await strip.getByRole('link').click()
    await page.locator('.slot-line:not(.pinned)').waitFor()
    t.false(page.url().includes('slot='))
    t.true(Number(await shownSlot(page)) > Number(slot))
    await page.locator('.feed.live').waitFor()
    t.is(sockets, 1)
    t.deepEqual(complaints, [])
  },
)

for (const width of WIDTHS) {
  inBrowser(
    `a wallet of then is accessible and no wider than the screen: ${width} wide, dark and light${WHY_SKIPPED}`,
    async (t) => {
      const swaps = await readSwaps('limit=20')
      const path = `${PATH()}&slot=${swaps.at(-1)?.slot}`
      const { page, complaints } = await signedIn(t, demo, path, { width })
      await page.locator('.parts [data-sum]').waitFor()
      await settle(page)
      await assertLooks(t, page, 'wallet-of-then')
      t.deepEqual(complaints, [])
    },
  )
}

inBrowser(`a panel that is too costly says so, and the others stay${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await signedIn(t, demo, '/account')
  const message = 'the answer folds 200001 swaps: expected at most 200000'
  await page.route('**/wallets/*/stats?*', (route) =>
    route.fulfill({ status: 422, json: { error: { code: 'AS_OF_TOO_COSTLY', message } } }),
  )
  let refused = 0
  await page.route('**/swaps/trader/*', (route) =>
    refused++ === 0
      ? route.fulfill({
          status: 503,
          headers: { 'Retry-After': '1' },
          json: { error: { code: 'UNAVAILABLE', message: 'a worker lags' } },
        })
      : route.fallback(),
  )
  await page.goto(`${demo.url}/wallet/${wallet}`)
  await page.locator('.swaps [data-trade]').first().waitFor()
  await page.locator('.tile').getByText(message).first().waitFor()
  t.true(refused >= 2)
  t.true((await page.locator('.positions [data-mint]').count()) > 0)
  t.deepEqual(
    complaints.filter((text) => !text.includes('422')),
    [],
  )
})
