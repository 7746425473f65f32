// The parts of figures, in a real browser over a market that every worker has processed: each opens its parts, whose sum
// is the figure and that of the API.

import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { PNL_MODES } from '../../domain/wallet/pnl-mode.ts'
import { WHY_SKIPPED } from '../api/openapi/browser.ts'
import type { Demo } from '../support/deploy/demo.ts'
import {
  assertLooks,
  compare,
  demoForFile,
  digitsOf,
  figuresOf,
  type Row,
  readAs,
  settle,
  signedIn,
  WIDTHS,
} from '../support/pages.ts'
import { CHROMIUM } from '../support/web/chromium.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const TRADED = ['realized', 'win_rate', 'volume'] as const
const OPEN = ['value', 'unrealized', 'cost'] as const

const demoOf = demoForFile()
let demo: Demo
let wallet = ''
let mint = ''

test.serial.before(async () => {
  demo = demoOf()
  wallet = await rankedHolder()
  const trending = await read('/trending?window=1h&limit=1')
  mint = String((trending.results as Row[])[0]?.mint)
})

/** The best wallet that has sold with a known cost and still holds tokens: each of its figures has parts. */
async function rankedHolder(): Promise<string> {
  const ranks = await read('/v2/pnl/leaderboard/top?period=1d&limit=50')
  for (const rank of ranks.leaderboard as Row[]) {
    const { positions } = await read(`/v2/pnl/wallets/${rank.wallet}/positions?limit=1`)
    const isHolder = (positions as Row[]).length > 0
    if (isHolder && Number(rank.covered_sell_count) > 0) return String(rank.wallet)
  }
  throw new Error('no ranked wallet holds tokens')
}

const read = (path: string): Promise<Row> => readAs(demo, path)

/** The exact number of a figure; null: unknown. */
async function exactOf(page: Page, selector: string): Promise<string | null> {
  const figure = page.locator(`${selector} .num[title]`).last()
  return (await figure.count()) === 0 ? null : digitsOf(String(await figure.getAttribute('title')))
}

/** Exact decimal digits as an integer of 10^-9. */
function lamportsOf(digits: string): bigint {
  const [whole = '0', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction.padEnd(9, '0'))
}

/** Shows all parts, by as many clicks as that takes. */
async function showAll(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More parts' })
  await settle(page)
  while ((await more.count()) > 0) {
    await more.click()
    await settle(page)
  }
}

for (const width of WIDTHS) {
  inBrowser(
    `open parts are accessible and no wider than the screen: ${width} wide, dark and light${WHY_SKIPPED}`,
    async (t) => {
      const { page, complaints } = await signedIn(t, demo, '/robots.txt', { width })
      for (const [title, path] of [
        ['realized', `/wallet/${wallet}?parts=realized`],
        ['value', `/wallet/${wallet}?parts=value`],
        ['rank', `/leaderboard?period=1d&parts=realized-${wallet}`],
        ['price', `/token/${mint}?parts=price`],
        ['window', `/token/${mint}?parts=5m`],
      ] as const) {
        await page.goto(demo.url + path)
        await page.locator('.parts, .opened').first().waitFor()
        await settle(page)
        await assertLooks(t, page, `parts-${title}`)
      }
      t.deepEqual(complaints, [])
    },
  )
}

for (const mode of PNL_MODES) {
  inBrowser(
    `the tiles of a wallet are the sums of their parts: ${mode}${WHY_SKIPPED}`,
    async (t) => {
      const { page, complaints } = await signedIn(t, demo, `/wallet/${wallet}?pnl_mode=${mode}`)
      let count = 0
      for (const name of [...TRADED, ...OPEN]) {
        await settle(page)
        const button = page.locator(`[data-parts="${name}"]`)
        await button.focus()
        await page.keyboard.press('Enter')
        t.is(await button.getAttribute('aria-expanded'), 'true')
        t.is(new URL(page.url()).searchParams.get('parts'), name)
        await page.locator('.parts [data-sum]').waitFor()
        await showAll(page)
        t.is(await page.locator('.parts .stale').count(), 0, name)
        count +=
          name in { realized: 1, win_rate: 1, volume: 1 }
            ? await compareTraded(t, page, name, mode)
            : await compareOpen(t, page, mode)
      }
      t.true(count > 50, `${count}`)
      t.log(`${count} figures`)
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      t.false(page.url().includes('parts='))
      t.deepEqual(complaints, [])
    },
  )
}

async function compareTraded(t: ExecutionContext, page: Page, name: string, mode: string) {
  const span =
    name === 'realized'
      ? `from=${new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)}`
      : 'window=30d'
  const answer = await read(`/v2/pnl/wallets/${wallet}/tokens?${span}&pnl_mode=${mode}&limit=200`)
  const tokens = answer.tokens as Row[]
  const parts = await figuresOf(page, 'data-part')
  t.is(parts.size, tokens.length)
  let count = 0
  for (const row of tokens) count += compare(t, name, parts.get(String(row.mint)) ?? [], row)
  for (const field of ['realized_lamports', 'volume_lamports']) {
    const each = [...parts.values()].map((figures) =>
      lamportsOf(digitsOf(String(figures.find((figure) => figure.name === field)?.exact))),
    )
    const shown = await exactOf(page, `[data-sum] [data-figure="${field}"]`)
    t.is(
      lamportsOf(String(shown)),
      each.reduce((sum, part) => sum + part, 0n),
      field,
    )
  }
  const [tile, sum] = {
    realized: ['realized_sol', 'realized_lamports'],
    volume: ['total_volume_sol', 'volume_lamports'],
    win_rate: ['win_rate', 'win_rate'],
  }[name] as [string, string]
  const shown = await exactOf(page, `.tiles [data-figure="${tile}"]`)
  const summed = await exactOf(page, `[data-sum] [data-figure="${sum}"]`)
  t.is(Number(shown), Number(summed), name)
  return count + 3
}

async function compareOpen(t: ExecutionContext, page: Page, mode: string) {
  const answer = await read(`/v2/pnl/wallets/${wallet}/positions?pnl_mode=${mode}&limit=200`)
  const rows = answer.positions as Row[]
  const parts = await figuresOf(page, 'data-part')
  t.is(parts.size, rows.length)
  let count = 0
  for (const row of rows) {
    const shown = parts.get(String(row.mint)) ?? []
    count += compare(t, mode, shown, row)
    const numberOf = (name: string): number =>
      Number(digitsOf(String(shown.find((figure) => figure.name === name)?.exact)))
    if (row.price_sol !== null) {
      t.is(numberOf('qty') * numberOf('price_sol'), numberOf('current_value_sol'))
    }
  }
  for (const [tile, sum] of [
    ['total_open_value_sol', 'total_open_value_sol'],
    ['unrealized_sol', 'open_unrealized_sol'],
    ['open_cost_lamports', 'open_cost_lamports'],
  ]) {
    const shown = await exactOf(page, `.tiles [data-figure="${tile}"]`)
    t.is(shown, await exactOf(page, `[data-sum] [data-figure="${sum}"]`), tile)
    count += 1
  }
  return count
}

inBrowser(`a rank opens the tokens that it is the sum of${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await signedIn(t, demo, '/leaderboard?period=1d&pnl_mode=strict')
  await settle(page)
  const ranks = await read('/v2/pnl/leaderboard/top?period=1d&pnl_mode=strict&limit=3')
  for (const row of ranks.leaderboard as Row[]) {
    await page.locator(`[data-parts="realized-${row.wallet}"]`).click()
    await page.locator('.opened [data-sum]').waitFor()
    await showAll(page)
    t.is(await page.locator('.opened .stale').count(), 0)
    const sum = await exactOf(page, '[data-sum] [data-figure="realized_lamports"]')
    t.is(Number(sum), row.realized_sol as number)
    const covered = await exactOf(page, '[data-sum] [data-figure="covered_sell_count"]')
    t.is(Number(covered), row.covered_sell_count as number)
  }
  await page.locator('.opened').getByRole('link', { name: 'The wallet' }).click()
  await page.waitForURL('**/wallet/*?pnl_mode=strict&parts=realized')
  await page.locator('.parts [data-sum]').waitFor()
  t.deepEqual(complaints, [])
})

inBrowser(
  `a token opens the swap of its price and the swaps of a window${WHY_SKIPPED}`,
  async (t) => {
    const { page, complaints } = await signedIn(t, demo, `/token/${mint}?parts=price`)
    const stats = (await read(`/stats/token/${mint}`)).data as Row & {
      windows: Record<string, Row>
    }
    await page.locator('.parts [data-trade]').waitFor()
    t.is(await page.locator('.parts [data-trade]').count(), 1)
    t.is(Number(await exactOf(page, '.parts [data-figure="price_sol"]')), stats.price_sol as number)
    const path = String(
      await page.locator('.parts [data-trade] a[href^="/tx/"]').getAttribute('href'),
    )
    const { swaps } = (await read(`/swaps/${path.replace('/tx/', '')}`)) as { swaps: Row[] }
    // A transaction may have swaps of several pools, all at one time.
    const setters = swaps.filter((swap) => swap.timestamp === stats.price_timestamp)
    t.true(setters.map((swap) => swap.pair_address).includes(stats.top_pair))
    for (const window of ['5m', '1h'] as const) {
      const { volume_sol: volume, trades } = stats.windows[window] ?? {}
      await page.locator(`[data-parts="${window}"]`).click()
      // On some demo markets the token has no trade in the last minutes.
      if (trades === 0) {
        await page.locator('.parts').getByText('No swap in this window.').waitFor()
        continue
      }
      await page.locator('.parts [data-sum="window"]').waitFor()
      await showAll(page)
      const sum = await exactOf(page, '[data-sum="window"] [data-figure="volume_sol"]')
      t.is(Number(sum), volume as number, window)
      const amounts = await figuresOf(page, 'data-trade', '.parts [data-trade]')
      t.is(amounts.size, trades as number)
    }
    t.deepEqual(complaints, [])
  },
)

inBrowser(
  `risk and audit are in words, traders and holders lead to their lots${WHY_SKIPPED}`,
  async (t) => {
    const { page, complaints } = await signedIn(t, demo, `/token/${mint}`)
    await settle(page)
    const risk = (await read(`/tokens/${mint}/risk`)) as { score: number; factors: Row[] }
    const sum = Number(await exactOf(page, '[data-sum="risk"]'))
    t.is(Math.min(100, Math.round(sum)), risk.score)
    const text = String(await page.locator('.factors').first().textContent())
    t.notRegex(text, /balance atomic|pct|top10|_/)
    t.true(text.includes('Ten largest hold'))
    const audit = (await read(`/tokens/${mint}/audit`)) as { checks: Row[] }
    t.is(await page.locator('[data-check]').count(), audit.checks.length)
    await page.getByText('no Solana node is configured: nothing is known').waitFor()
    const holder = page.locator('[data-wallet] [data-figure="share_pct"] a').first()
    const [, address] = /\/wallet\/(\w+)\?/.exec(String(await holder.getAttribute('href'))) ?? []
    await holder.click()
    await page.waitForURL(`**/wallet/${address}?status=all&mint=${mint}&lots=${mint}`)
    await page.locator('[data-totals="lots"]').waitFor()
    t.deepEqual(complaints, [])
  },
)

inBrowser(`figures of the market and the screener lead to their parts${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await signedIn(t, demo, '/?window=15m')
  await settle(page)
  await page.locator('.trending [data-figure="volume_usd"] a').first().click()
  await page.waitForURL('**/token/*?parts=15m')
  await page.getByRole('heading', { name: 'Swaps of 15m' }).waitFor()
  await page.goto(`${demo.url}/screener?window=1h`)
  await settle(page)
  await page.locator('[data-figure="trades"] a').first().click()
  await page.waitForURL('**/token/*?parts=1h')
  await page.locator('.parts [data-sum="window"]').waitFor()
  t.deepEqual(complaints, [])
})
