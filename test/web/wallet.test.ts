// The page of a wallet in a real browser: over a market that every worker has processed, and over a history by hand.

import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { dateOf } from '../../domain/time/utc-day.ts'
import { PNL_MODES } from '../../domain/wallet/pnl-mode.ts'
import { openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { swapsOf, type Trade } from '../api/resources/pnl/ledger-swaps.ts'
import { apiUnderTest } from '../support/api/api-under-test.ts'
import { insertLedger, priceMints } from '../support/api/insert-ledger.ts'
import type { Demo } from '../support/deploy/demo.ts'
import { mint, signatureOf, trader } from '../support/market/sample-swap.ts'
import {
  assertLooks,
  brokenRules,
  compare,
  demoForFile,
  figuresOf,
  type Row,
  readAs,
  settle,
  signedIn,
  takePicture,
  WIDTHS,
} from '../support/pages.ts'
import { sizeOf } from '../support/seed.ts'
import { CHROMIUM } from '../support/web/chromium.ts'
import { tagWallets } from '../support/workers/tag-wallets.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
/** Wallets whose figures each run compares. */
const WALLETS = sizeOf({ daily: 2, long: 4 })
/** The number that the page shows at once. */
const POSITIONS = 20
const SWAPS = 25

const demoOf = demoForFile()
let demo: Demo

test.serial.before(() => {
  demo = demoOf()
})

async function read<Answer = Row>(path: string): Promise<Answer> {
  const answer = await readAs(demo, path)
  return (answer.data ?? answer) as Answer
}

async function topWallets(limit: number): Promise<string[]> {
  const { leaderboard } = await read<{ leaderboard: Row[] }>(
    `/v2/pnl/leaderboard/top?period=1d&limit=${limit}`,
  )
  return leaderboard.map(({ wallet }) => String(wallet))
}

const pnlOf = (wallet: string, rest: string): string => `/v2/pnl/wallets/${wallet}/${rest}`

async function positionsOf(wallet: string, query: string): Promise<Row[]> {
  const path = pnlOf(wallet, `positions?limit=${POSITIONS}&${query}`)
  return (await read<{ positions: Row[] }>(path)).positions
}

/** The newest day of the wallet with a trade. */
async function newestDay(wallet: string): Promise<string> {
  const { days } = await read<{ days: Row[] }>(pnlOf(wallet, 'performance'))
  return String(days.findLast(({ is_active: isActive }) => isActive)?.day)
}

const tradeNameOf = ({ signature, pair_address, ix_index, user, is_buy }: Row): string =>
  `${signature} ${pair_address} ${ix_index} ${user} ${is_buy}`

for (const width of WIDTHS) {
  const title = `a wallet is accessible and asks no other host: ${width} wide, dark and light`
  inBrowser(title + WHY_SKIPPED, async (t) => {
    const [wallet = ''] = await topWallets(1)
    const [position = {}] = await positionsOf(wallet, 'status=all')
    const query = `status=all&lots=${position.mint}&day=${await newestDay(wallet)}`
    const { page, complaints } = await signedIn(t, demo, `/wallet/${wallet}?${query}`, { width })
    await page.locator('[data-totals]').waitFor()
    await settle(page)
    await assertLooks(t, page, 'wallet')
    t.deepEqual(complaints, [])
  })
}

inBrowser(`the figures of wallets are those of the API${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await signedIn(t, demo, '/account')
  let count = 0
  for (const wallet of await topWallets(WALLETS)) {
    for (const mode of PNL_MODES) {
      const query = `pnl_mode=${mode}&status=all&sort=realized`
      await page.goto(`${demo.url}/wallet/${wallet}?${query}`)
      await settle(page)
      count += await compareSums(t, page, wallet, mode)
      const rows = await positionsOf(wallet, query)
      const positions = await figuresOf(page, 'data-mint', '.positions [data-mint]')
      t.deepEqual(
        [...positions.keys()],
        rows.map((row) => row.mint),
      )
      for (const row of rows) count += compare(t, mode, positions.get(String(row.mint)) ?? [], row)
    }
    const swaps = await read<Row[]>(`/swaps/trader/${wallet}?limit=${SWAPS}`)
    const traded = await figuresOf(page, 'data-trade', '.swaps [data-trade]')
    t.is(traded.size, swaps.length)
    await page.locator('[data-tag], .tags .empty').first().waitFor()
    for (const row of swaps) count += compare(t, wallet, traded.get(tradeNameOf(row)) ?? [], row)
  }
  t.true(count > 75 * WALLETS)
  t.log(`${count} figures`)
  t.deepEqual(complaints, [])
})

/** Compares tiles, facts of the period and days of the month with the API. */
async function compareSums(t: ExecutionContext, page: Page, wallet: string, mode: string) {
  const risk = await read(pnlOf(wallet, 'risk'))
  const stats = await read(`/wallets/${wallet}/stats?window=30d`)
  const month = `${dateOf(Date.now()).slice(0, 7)}-01`
  const { days, ...performance } = await read<Row & { days: Row[] }>(
    pnlOf(wallet, `performance?pnl_mode=${mode}`),
  )
  const { open_unrealized_sol: gains, open_cost_lamports: costs } = risk as Record<string, Row>
  const ofMode = { unrealized_sol: gains?.[mode], open_cost_lamports: costs?.[mode] }
  const sums = { ...stats, ...risk, ...performance, ...ofMode }
  const tiles = await figuresOf(page, 'class', '.tiles')
  const best = (performance.best_day as Row | null)?.realized_sol
  const worst = (performance.worst_day as Row | null)?.realized_sol
  const facts = await figuresOf(page, 'class', '.equity .facts')
  let count = compare(t, mode, [...tiles.values()].flat(), sums)
  count += compare(t, mode, [...facts.values()].flat(), { ...performance, best, worst })
  const shown = await figuresOf(page, 'data-day')
  const active = days.filter(({ day, is_active: isActive }) => isActive && String(day) >= month)
  t.deepEqual(
    [...shown.keys()],
    active.map(({ day }) => day),
  )
  for (const row of active) count += compare(t, mode, shown.get(String(row.day)) ?? [], row)
  return count
}

inBrowser(`a day of the calendar opens its trades${WHY_SKIPPED}`, async (t) => {
  const [wallet = ''] = await topWallets(1)
  const day = await newestDay(wallet)
  const { page, complaints } = await signedIn(t, demo, `/wallet/${wallet}?month=${day.slice(0, 7)}`)
  await settle(page)
  await page.locator(`[data-day="${day}"]`).click()
  await page.getByRole('heading', { name: `Trades of ${day}` }).waitFor()
  t.is(new URL(page.url()).searchParams.get('day'), day)
  await settle(page)
  const of = await read<Row[]>(`/swaps/trader/${wallet}?from=${day}&to=${day}&limit=50`)
  const shown = await figuresOf(page, 'data-trade', '.trades-of-day [data-trade]')
  t.deepEqual([...shown.keys()], of.map(tradeNameOf))
  let count = 0
  for (const row of of) count += compare(t, day, shown.get(tradeNameOf(row)) ?? [], row)
  t.is(count, of.length * 3)
  t.deepEqual(complaints, [])
})

inBrowser(
  `a position opens its lots, and a buy of them its transaction${WHY_SKIPPED}`,
  async (t) => {
    const [wallet = ''] = await topWallets(1)
    const rows = await positionsOf(wallet, 'status=all&sort=realized')
    const [position = {}] = rows
    const { page, complaints } = await signedIn(
      t,
      demo,
      `/wallet/${wallet}?status=all&sort=realized`,
    )
    await settle(page)
    await page
      .locator(`[data-mint="${position.mint}"]`)
      .getByRole('button', { name: /^open: lots of/ })
      .click()
    await page.locator('[data-totals]').waitFor()
    type Sell = Row & { signature: string; ix_index: number; matches: Row[] }
    const { totals, sells, lots } = await read<{ totals: Row; sells: Sell[]; lots: Row[] }>(
      pnlOf(wallet, `positions/${position.mint}/lots?limit=25`),
    )
    const sums = await figuresOf(page, 'data-totals')
    let count = compare(t, 'totals', sums.get('lots') ?? [], totals)
    const sold = await figuresOf(page, 'data-sell')
    t.is(sold.size, sells.length)
    for (const row of sells) {
      count += compare(t, 'sell', sold.get(`${row.signature} ${row.ix_index}`) ?? [], row)
    }
    const matches = sells.flatMap((sell) => sell.matches)
    t.is(await page.locator('[data-match]').count(), matches.length)
    const held = await figuresOf(page, 'data-lot')
    for (const row of lots) {
      count += compare(t, 'lot', held.get(`${row.signature} ${row.ix_index}`) ?? [], row)
    }
    t.true(count >= 14 && matches.length > 0)
    await page.locator('[data-match] a').first().click()
    await page.waitForURL(`**/tx/${matches[0]?.signature}`)
    t.deepEqual(complaints, [])
  },
)

inBrowser(`addresses of wallets and their search lead to the page${WHY_SKIPPED}`, async (t) => {
  const [wallet = ''] = await topWallets(1)
  const [swap = {}] = await read<Row[]>(`/swaps/trader/${wallet}?limit=1`)
  const { page, complaints } = await signedIn(t, demo, `/tx/${swap.signature}`)
  await page.locator(`a[href="/wallet/${wallet}"]`).first().click()
  await page.waitForURL(`**/wallet/${wallet}`)
  await page.getByRole('heading', { level: 1, name: 'Wallet' }).waitFor()
  await page.locator('.feed.live').waitFor()
  await page.goto(`${demo.url}/account`)
  await settle(page)
  await page.keyboard.press('/')
  await page.keyboard.insertText(wallet)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/wallet/${wallet}`)
  t.deepEqual(complaints, [])
})

/** Day 0 of the history by hand. */
const FIRST_MS = Date.UTC(2025, 1, 3)
const DAYS = 50
const onDay = (day: number, hours: number) => ({
  atMs: FIRST_MS + day * DAY_MS + hours * 3_600_000,
})
/** SOL that day n realizes; none on every fifth day. */
const gainOf = (day: number): number => (day % 5 === 4 ? 0 : ((day * 7) % 11) - 4)

function historyByHand(): Trade[] {
  const trades = Array.from({ length: DAYS }, (_, day): Trade[] =>
    day % 5 === 4
      ? []
      : [
          { mint: 1, isBuy: true, tokens: 10, sol: 10, ...onDay(day, 1) },
          { mint: 1, isBuy: false, tokens: 10, sol: 10 + gainOf(day), ...onDay(day, 2) },
        ],
  )
  return [
    ...trades.flat(),
    // One that is priced, one without a price, and tokens that no buy brought.
    { mint: 2, isBuy: true, tokens: 4, sol: 8, ...onDay(DAYS, 1) },
    { mint: 3, isBuy: true, tokens: 1, sol: 2, ...onDay(DAYS, 2) },
    { mint: 4, isBuy: true, tokens: 1, sol: 1, ...onDay(DAYS, 3) },
    { mint: 4, isBuy: false, tokens: 3, sol: 6, ...onDay(DAYS, 4) },
    { user: 2, mint: 3, isBuy: true, tokens: 1, sol: 2, ...onDay(DAYS + 1, 1) },
  ]
}

inBrowser(
  `a history by hand: its days, unknown values and uncovered sells${WHY_SKIPPED}`,
  async (t) => {
    const { api, key, db } = await apiUnderTest(t)
    const trades = historyByHand()
    await insertLedger(db, swapsOf(trades))
    await tagWallets(db, new Map([[trader(1), ['smart_money']]]), Date.now())
    await priceMints(db, { [mint(2)]: 3 })
    await db.query(
      'update pool set last_price = null from token where token.id = token_id and address = $1',
      [mint(3)],
    )
    const { page } = await openPage(t, api.signInLink(key), { width: 1_400 })
    const path = `${api.url}/wallet/${trader(1)}?period=all&status=all`
    await page.goto(`${path}&month=2025-03&lots=${mint(4)}`)
    await page.locator('[data-totals]').waitFor()
    await settle(page)
    await takePicture(page, 'wallet-by-hand')
    for (const [day, [figure]] of await figuresOf(page, 'data-day')) {
      const number = (Date.parse(day) - FIRST_MS) / DAY_MS
      // The last day: 1 token of 3 is covered, with a third of the proceeds.
      const gain = number === DAYS ? 1 : gainOf(number)
      t.is(figure?.exact, `${gain} SOL`, day)
    }
    const days = page.locator('[data-day]')
    t.is(await days.count(), 20)
    const row = page.locator(`[data-mint="${mint(4)}"]`)
    await row.getByText('uncovered sells, 2 tokens').waitFor()
    const { rows: tagged } = await db.query('select address from token where id = 1')
    await page.locator(`[data-mint="${tagged[0].address}"]`).getByText('smart money').waitFor()
    t.is(await page.locator('[data-sell] .flag').textContent(), '2 without a buy')
    const unpriced = page.locator(`[data-mint="${mint(3)}"]`)
    t.is(await unpriced.locator('[data-figure="unrealized_sol"]').textContent(), 'unknown')
    const last = dateOf(FIRST_MS + DAYS * DAY_MS)
    await page.locator(`[data-day="${last}"]`).click()
    await page.locator('.trades-of-day [data-trade]').first().waitFor()
    t.is(await page.locator('.trades-of-day [data-trade]').count(), 4)
    t.true(
      await page
        .locator(`a[href="/tx/${signatureOf(trades.length - 1)}"]`)
        .first()
        .isVisible(),
    )
    await page.goto(`${api.url}/wallet/${trader(77)}`)
    await page.getByText('No trade of this wallet is indexed.').waitFor()
    await page.getByText('No position of this kind is indexed.').waitFor()
    await page.getByText('No swap of this wallet is indexed.').waitFor()
    await page.getByText('Unknown yet: the tags are being computed.').waitFor()
    t.is(await page.locator('[data-figure="win_rate"]').textContent(), 'unknown')
    t.deepEqual(await brokenRules(page), [])
    await page.goto(`${api.url}/wallet/nonsense`)
    await page.getByRole('alert').first().waitFor()
  },
)

inBrowser(
  `figures that are too costly as of a slot are of now on a live page, and refused on one of then${WHY_SKIPPED}`,
  async (t) => {
    const { api, key, db } = await apiUnderTest(t, { foldedSwapsMax: 3 })
    await insertLedger(db, swapsOf(historyByHand()))
    const { page } = await openPage(t, api.signInLink(key), { width: 1_400 })
    const path = `${api.url}/wallet/${trader(1)}?period=all&status=all`
    await page.goto(path)
    await page.locator('.equity .slot-mark').getByText('now').waitFor()
    await page.locator('.equity [data-figure]').first().waitFor()
    await settle(page)
    t.is(await page.getByRole('alert').count(), 0)
    const { rows } = await db.query('select max(slot) as slot from swap')
    await page.goto(`${path}&slot=${rows[0].slot - 1}`)
    await page.locator('.equity').getByText('Too costly as of a slot').waitFor()
  },
)
