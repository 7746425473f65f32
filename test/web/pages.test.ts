// The pages in a real browser over a market that every worker has processed: access, figures, looks and states.

import test from 'ava'
import { createKey, revokeKey } from '../../api/gateway/keys/keys.ts'
import { connect } from '../../sql/db.ts'
import { openPage, WHY_SKIPPED } from '../api/openapi/browser.ts'
import { PATIENT_MS } from '../support/api/api-under-test.ts'
import { spendQuota } from '../support/api/patient-answer.ts'
import type { Demo } from '../support/deploy/demo.ts'
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
  signedInApart,
  takePicture,
  WIDTHS,
  widthBeyond,
} from '../support/pages.ts'
import { sizeOf } from '../support/seed.ts'
import { CHROMIUM } from '../support/web/chromium.ts'
import { until } from '../support/workers/pipeline.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
/** Pages with figures that each run compares. */
const TOKENS = sizeOf({ daily: 3, long: 6 })
const TRANSACTIONS = sizeOf({ daily: 4, long: 12 })

const demoOf = demoForFile()
let demo: Demo

test.serial.before(() => {
  demo = demoOf()
})

const read = (path: string): Promise<Row> => readAs(demo, path)

/** The data in the envelope of an answer. */
async function answerOf<Value>(path: string): Promise<Value> {
  return (await read(path)).data as Value
}

const mints = async (): Promise<string[]> => {
  const { results } = (await read(`/trending?window=1h&limit=${TOKENS}`)) as { results: Row[] }
  return results.map(({ mint }) => String(mint))
}
const signatures = async (): Promise<string[]> => {
  const swaps = await answerOf<Row[]>(`/swaps?limit=${TRANSACTIONS}`)
  return [...new Set(swaps.map(({ signature }) => String(signature)))]
}

inBrowser(`the printed link opens the market, and only once${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await openPage(t, demo.pagesLink)
  t.is(page.url(), `${demo.url}/`)
  await page.getByRole('heading', { name: 'Trending' }).waitFor()
  await page.locator('[data-mint]').first().waitFor()
  await page.locator('.feed.live').waitFor()
  const stored = await page.evaluate(
    '[localStorage.length, sessionStorage.length, document.cookie]',
  )
  t.deepEqual(stored, [0, 0, ''])
  t.deepEqual(complaints, [])
  const other = await openPage(t, demo.pagesLink)
  await other.page.getByText('This link was used before').waitFor()
  await other.page.getByLabel('API key').fill(demo.key)
  await other.page.getByRole('button', { name: 'Sign in' }).click()
  await other.page.locator('[data-mint]').first().waitFor()
  t.deepEqual(other.complaints, [])
})

for (const width of WIDTHS) {
  const looks = `${width} wide, dark and light`
  inBrowser(`each page is accessible and asks no other host: ${looks}${WHY_SKIPPED}`, async (t) => {
    const [mint = ''] = await mints()
    const [signature = ''] = await signatures()
    const { page, complaints } = await signedIn(t, demo, '/robots.txt', { width })
    for (const [title, path] of [
      ['market', '/'],
      ['token', `/token/${mint}?traders=whales`],
      ['transaction', `/tx/${signature}`],
      ['account', '/account'],
    ] as const) {
      await page.goto(demo.url + path)
      await settle(page)
      await assertLooks(t, page, title)
    }
    t.deepEqual(complaints, [])
  })
}

inBrowser(
  `an unknown address is a page with ways back, signed in or not, also without scripts${WHY_SKIPPED}`,
  async (t) => {
    const { page } = await signedInApart(t, demo, '/nothing/here', { scheme: 'dark', width: 390 })
    const expectWays = async (where: string): Promise<void> => {
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
      t.deepEqual(await brokenRules(page), [], where)
      t.true((await widthBeyond(page)) <= 0, where)
    }
    await page.getByRole('combobox').waitFor()
    await takePicture(page, 'unknown-dark-390')
    await expectWays('signed in')
    await page.getByRole('link', { name: 'market', exact: true }).click()
    await page.locator('[data-mint]').first().waitFor()
    await page.context().clearCookies()
    await page.goto(`${demo.url}/Nothing?query=1`)
    await page.getByRole('combobox').waitFor()
    await expectWays('signed out')
    await page.route('**/*.js', (route) => route.abort())
    await page.goto(`${demo.url}/nothing`)
    await takePicture(page, 'unknown-without-scripts-dark-390')
    await expectWays('without scripts')
    await page.unroute('**/*.js')
    await page.getByRole('link', { name: 'Leaderboard' }).click()
    await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor()
    t.is(new URL(page.url()).pathname, '/leaderboard')
    await page.goto(`${demo.url}/Leaderboard/`)
    await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor()
  },
)

/** Reserves of 0 are not published by the venue: pages show them as unknown. */
const withKnownReserves = (row: Row): Row => ({
  ...row,
  real_sol_reserves: row.real_sol_reserves || null,
  real_token_reserves: row.real_token_reserves || null,
})

const tradeNameOf = ({ signature, pair_address, ix_index, user, is_buy }: Row): string =>
  `${signature} ${pair_address} ${ix_index} ${user} ${is_buy}`

inBrowser(`the figures of the market are those of the API${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await signedIn(t, demo, '/?window=24h&movers=24h&whales=5')
  await settle(page)
  await page.locator('.trending [data-mint]').first().waitFor()
  let count = 0
  const { results } = (await read('/trending?window=24h&limit=15')) as { results: Row[] }
  const trending = await figuresOf(page, 'data-mint', '.trending [data-mint]')
  t.deepEqual(
    [...trending.keys()],
    results.map(({ mint }) => mint),
  )
  for (const row of results)
    count += compare(t, 'trending', trending.get(String(row.mint)) ?? [], row)
  const sides = await answerOf<Record<string, Row[]>>('/api/v1/top-movers?timeframe=24h&limit=6')
  const movers = await figuresOf(page, 'data-mint', '.movers [data-mint]')
  for (const row of [...(sides.gainers ?? []), ...(sides.losers ?? [])]) {
    count += compare(t, 'movers', movers.get(String(row.mint)) ?? [], row)
  }
  const whales = await answerOf<Row[]>('/swaps/whale?min_sol=5&limit=15')
  const swaps = await figuresOf(page, 'data-trade', '.whales [data-trade]')
  for (const row of whales) count += compare(t, 'whales', swaps.get(tradeNameOf(row)) ?? [], row)
  const stats = await answerOf<{ windows: Record<string, Row> }>('/api/v1/stats')
  const totals = await figuresOf(page, 'class', '.totals')
  for (const { name, exact } of [...totals.values()].flat()) {
    const [window = '', field = ''] = name.split(' ')
    count += compare(t, 'totals', [{ name: field, exact }], stats.windows[window] ?? {})
  }
  t.true(count > 100)
  t.log(`${count} figures`)
  t.deepEqual(complaints, [])
})

inBrowser(
  `the figures of tokens and transactions are those of the API${WHY_SKIPPED}`,
  async (t) => {
    const { page, complaints } = await signedIn(t, demo, '/account')
    let count = 0
    for (const mint of await mints()) {
      await page.goto(`${demo.url}/token/${mint}?timeframe=5m&unit=SOL`)
      await settle(page)
      const tiles = await figuresOf(page, 'class', '.tiles:first-of-type .tile:not([data-window])')
      const stats = await answerOf<Row & { windows: Record<string, Row> }>(`/stats/token/${mint}`)
      count += compare(t, mint, [...tiles.values()].flat(), stats)
      for (const [window, shown] of await figuresOf(page, 'data-window')) {
        count += compare(
          t,
          `${mint} ${window}`,
          shown.filter(({ name }) => name === 'change_pct'),
          stats.windows[window] ?? {},
        )
      }
      const { holders } = (await read(`/tokens/${mint}/holders?limit=12`)) as { holders: Row[] }
      const held = await figuresOf(page, 'data-wallet')
      for (const row of holders) count += compare(t, mint, held.get(String(row.wallet)) ?? [], row)
      const swaps = await answerOf<Row[]>(`/swaps/token/${mint}?limit=25`)
      const traded = await figuresOf(page, 'data-trade', '.swaps [data-trade]')
      for (const row of swaps) count += compare(t, mint, traded.get(tradeNameOf(row)) ?? [], row)
      const pools = await answerOf<Row[]>(`/api/v1/pairs?token_address=${mint}&limit=8`)
      const listed = await figuresOf(page, 'data-pool')
      for (const row of pools)
        count += compare(t, mint, listed.get(String(row.pair_address)) ?? [], row)
      const { factors } = (await read(`/tokens/${mint}/risk`)) as { factors: Row[] }
      const risks = await figuresOf(page, 'data-factor')
      for (const row of factors) count += compare(t, mint, risks.get(String(row.name)) ?? [], row)
    }
    for (const signature of await signatures()) {
      await page.goto(`${demo.url}/tx/${signature}`)
      await settle(page)
      const { swaps } = (await read(`/swaps/${signature}`)) as { swaps: Row[] }
      const shown = await figuresOf(page, 'data-swap')
      for (const [at, row] of swaps.entries()) {
        count += compare(t, signature, shown.get(String(at + 1)) ?? [], withKnownReserves(row))
      }
    }
    t.true(count > 84 * TOKENS)
    t.log(`${count} figures`)
    t.deepEqual(complaints, [])
  },
)

inBrowser(`venues have the names of their programs on each page${WHY_SKIPPED}`, async (t) => {
  const [swap = {}] = await answerOf<Row[]>('/swaps?limit=1&dex=4')
  const { page } = await signedIn(t, demo, '/account')
  for (const path of [
    '/?whales=5',
    `/token/${swap.token_address}?parts=24h`,
    `/tx/${swap.signature}`,
    `/wallet/${swap.user}`,
    '/screener?columns=protocols&protocol=raydium_clmm',
  ]) {
    await page.goto(demo.url + path)
    await settle(page)
    const cells = page.locator('main td, main .panel-head')
    await cells
      .filter({ hasText: /Raydium|Pump|Meteora|Orca/ })
      .first()
      .waitFor()
    t.notRegex(String(await page.locator('main').textContent()), /venue[ _]\d|_clmm/i, path)
  }
  t.is(await page.getByLabel('Venue', { exact: true }).inputValue(), 'venue_4')
  await page.getByRole('combobox', { name: /^Search/ }).fill(String(swap.pair_address))
  const found = page.getByRole('option').filter({ hasText: 'pool' })
  await found.getByText(/\/SOL on Raydium CLMM$/).waitFor()
})

inBrowser(`the account shows requests for each language without a key${WHY_SKIPPED}`, async (t) => {
  const { page, complaints } = await signedIn(t, demo, '/account')
  for (const [language, part] of [
    ['curl', `'${demo.url}/trending?window=1h&limit=5'`],
    ['TypeScript', `fetch('${demo.url}/trending?window=1h&limit=5'`],
    ['WebSocket', `'${demo.url.replace('http', 'ws')}/ws/v1'`],
  ] as const) {
    await page.getByRole('button', { name: language, exact: true }).click()
    const text = String(await page.locator('.snippet').textContent())
    t.true(text.includes(part) && text.includes('YOUR_API_KEY'), text)
    t.false(text.includes(demo.key))
  }
  t.is(new URL(page.url()).search, '?snippet=WebSocket')
  t.deepEqual(complaints, [])
})

inBrowser(
  `search leads to a token, a pool and a transaction, from any page by the key "/"${WHY_SKIPPED}`,
  async (t) => {
    const [mint = ''] = await mints()
    const stats = await answerOf<Row>(`/stats/token/${mint}`)
    const { page, complaints } = await signedIn(t, demo, '/account')
    await settle(page)
    await page.keyboard.press('/')
    await page.keyboard.insertText(mint)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: String(stats.symbol) }).waitFor()
    t.is(new URL(page.url()).pathname, `/token/${mint}`)
    const [{ signature, pair_address: pool, token_address: traded } = {}] =
      await answerOf<Row[]>('/swaps?limit=1')
    for (const [text, path] of [
      [pool, `/token/${traded}?pool=${pool}`],
      [signature, `/tx/${signature}`],
    ]) {
      // Each page has a box of its own: the next text goes into that of the page that opened.
      await settle(page)
      await page.keyboard.press('/')
      await page.keyboard.insertText(String(text))
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname + url.search === path)
    }
    for (let back = 0; back < 3; back++) {
      await settle(page)
      await page.goBack()
    }
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    t.deepEqual(complaints, [])
  },
)

inBrowser(
  `search takes pasted URLs and symbols of chats, and names what it did not find${WHY_SKIPPED}`,
  async (t) => {
    const [mint = ''] = await mints()
    const { symbol } = await answerOf<Row>(`/stats/token/${mint}`)
    const [{ signature, user } = {}] = await answerOf<Row[]>('/swaps?limit=1')
    const { page, complaints } = await signedIn(t, demo, '/account')
    await settle(page)
    const paste = async (text: string) => {
      await page.keyboard.press('/')
      await page.keyboard.insertText(text)
    }
    for (const [text, address] of [
      [
        `https://solscan.io/token/${mint}?activity_type=ACTIVITY_TOKEN_SWAP#holders`,
        `/token/${mint}`,
      ],
      [`https://explorer.solana.com/address/${user}?cluster=mainnet-beta`, `/wallet/${user}`],
      [
        `https://explorer.solana.com/tx/${signature}?cluster=custom&customUrl=http%3A%2F%2Flocalhost%3A8899`,
        `/tx/${signature}`,
      ],
      [` "https://pump.fun/coin/${mint}" `, `/token/${mint}`],
      [`https://tide.example/wallet/${user}?period=all`, `/wallet/${user}`],
      [`${demo.url}/token/${mint}?timeframe=5m&unit=SOL`, `/token/${mint}?timeframe=5m&unit=SOL`],
      [`${demo.url}/screener?min_trades=5`, '/screener?min_trades=5'],
      [`$${String(symbol).toLowerCase()}`, '/token/'],
    ] as const) {
      await settle(page)
      await paste(text)
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => (url.pathname + url.search).startsWith(address))
      // The program of a page has come when its heading is there, and with it the box that stays.
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    await page.getByRole('heading', { level: 1, name: String(symbol) }).waitFor()
    await settle(page)
    for (const text of [
      'https://explorer.solana.com/block/250000000',
      `https://solscan.io/token/${mint.slice(0, 20)}`,
    ]) {
      await page.getByRole('combobox').fill(text)
      await page.getByText(`Nothing found for “${text}”.`).waitFor()
    }
    await page.getByRole('combobox').fill(`https://solscan.io/${'W'.repeat(500)}`)
    await page.getByText(`Nothing found for “https://solscan.io/${'W'.repeat(40)}…”.`).waitFor()
    t.true((await widthBeyond(page)) <= 0)
    t.deepEqual(await brokenRules(page), [])
    t.deepEqual(complaints, [])
  },
)

inBrowser(`a choice is written into the address and survives a reload${WHY_SKIPPED}`, async (t) => {
  const [mint = ''] = await mints()
  const { page } = await signedIn(t, demo, `/token/${mint}`)
  await settle(page)
  await page.getByRole('button', { name: '15m', exact: true }).click()
  await page.getByRole('button', { name: 'SOL', exact: true }).click()
  t.is(new URL(page.url()).search, '?timeframe=15m&unit=SOL')
  await page.reload()
  await page.getByRole('heading', { name: 'Price, SOL' }).waitFor()
  t.is(
    await page.getByRole('button', { name: '15m', exact: true }).getAttribute('aria-pressed'),
    'true',
  )
})

inBrowser(`a cut feed and old figures are shown as such, and end${WHY_SKIPPED}`, async (t) => {
  const { page } = await signedInApart(t, demo, '/')
  await page.locator('.feed.live').waitFor()
  await page.context().setOffline(true)
  await page.locator('.stale').first().waitFor()
  await page.context().setOffline(false)
  await page.locator('.stale').first().waitFor({ state: 'detached' })
  t.true(await page.locator('[data-mint]').first().isVisible())
})

inBrowser(
  `a reached limit is shown with its wait, an ended key asks for another${WHY_SKIPPED}`,
  async (t) => {
    const db = connect(String(demo.settings.DATABASE_URL), { max: 1, applicationName: 'test' })
    t.teardown(() => db.end())
    const { id, key } = await createKey(db, {
      tier: 'free',
      environment: 'test',
      account: 'test',
      by: 'test',
    })
    const { page } = await signedIn(t, { ...demo, key }, '/account')
    await settle(page)
    const spending = spendQuota(demo.url, key)
    t.teardown(spending.end)
    await until('the quota is spent', PATIENT_MS, spending.isRefused)
    await page.goto(`${demo.url}/`)
    const limited = page.getByRole('alert').filter({ hasText: 'Request limit reached' }).first()
    await limited.getByText(/Next attempt in \d+ (?:s|min)/).waitFor()
    await spending.end()
    t.deepEqual(await brokenRules(page), [])
    await revokeKey(db, id, 'test')
    await page.goto(`${demo.url}/account`)
    await page.getByRole('heading', { name: 'Sign in with an API key' }).waitFor()
  },
)
