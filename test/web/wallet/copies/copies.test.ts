/** "Copy this wallet" in a real browser: figures as the API answers, settings in the address, links of each trade. */
import test from 'ava'
import { WHY_SKIPPED } from '../../../api/openapi/browser.ts'
import type { Demo } from '../../../support/deploy/demo.ts'
import {
  assertLooks,
  demoForFile,
  digitsOf,
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
  const { leaderboard } = await readAs<{ leaderboard: Row[] }>(
    demo,
    '/v2/pnl/leaderboard/top?period=1d&limit=1',
  )
  wallet = String(leaderboard[0]?.wallet)
})

type Copies = {
  runs: { pnl_lamports: Record<'low' | 'high', string>; orders: string }[]
  trades: { run: number; copies: string; state: { signature: string } | null }[]
}

const digitsOfLamports = (title: string | null): string => {
  const [whole = '', fraction = ''] = digitsOf(title ?? '').split('.')
  return String(BigInt(whole + fraction.padEnd(9, '0')))
}

for (const width of WIDTHS) {
  const title = `a copy of a wallet is accessible and as the API answers: ${width} wide, dark and light`
  inBrowser(title + WHY_SKIPPED, async (t) => {
    const { page, complaints } = await signedIn(t, demo, `/wallet/${wallet}`, { width })
    const form = page.locator('.copies form')
    await form.locator('[name=copy_size]').fill('none')
    t.true(await form.locator('button').isDisabled())
    await form.locator('[name=copy_size]').fill('0.2')
    await form.locator('[name=copy_slippage]').fill('20')
    await form.locator('[name=copy_delay]').fill('3')
    const answering = page.waitForResponse(/\/v2\/backtest\/copy$/)
    await form.locator('button').click()
    const response = await answering
    t.regex(page.url(), /copy_size=0\.2&copy_delay=3&copy_slippage=20$/)
    const sent = response.request().postDataJSON()
    t.like(sent, { wallets: [wallet], size_lamports: [200_000_000], slippage_bps: 2_000 })
    t.deepEqual(sent.delay_slots, [3, 0, 1, 2, 4, 8, 16, 32, 64])
    const { runs, trades } = (await response.json()) as Copies
    await page.locator('[data-copy]').first().waitFor()
    await settle(page)
    await assertLooks(t, page, 'wallet-copies')
    const shown = page.locator('[data-figure=copy_pnl] .num')
    const titles = await shown.evaluateAll((all) =>
      all.map((each) => (each as unknown as { title: string }).title),
    )
    const { low, high } = runs[0]!.pnl_lamports
    t.deepEqual(titles.map(digitsOfLamports), low === high ? [low] : [low, high])
    const own = trades.filter(({ run }) => run === 0)
    t.is(await page.locator('[data-copy]').count(), own.length)
    const links = await page.locator('[data-copy] a[href^="/tx/"]').count()
    t.is(links, own.length + own.filter(({ state }) => state !== null).length)
    t.deepEqual(complaints, [])
    await page.reload()
    await page.locator('[data-copy]').first().waitFor()
    t.is(await page.locator('[name=copy_delay]').inputValue(), '3')
  })
}

inBrowser(`a copy on a page of then ends with its slot${WHY_SKIPPED}`, async (t) => {
  const path = `/swaps/trader/${wallet}?limit=200`
  const swaps = (await readAs<Record<'data', Row[]>>(demo, path)).data
  const slot = Number(swaps[Math.floor(swaps.length / 2)]?.slot)
  const { page, complaints } = await signedIn(t, demo, '/account')
  const answering = page.waitForResponse(/\/v2\/backtest\/copy$/)
  const query = `slot=${slot}&period=all&copy_size=0.2`
  await page.goto(`${demo.url}/wallet/${wallet}?${query}`)
  const response = await answering
  const { wallets, to_slot: last } = response.request().postDataJSON()
  t.deepEqual({ wallets, last }, { wallets: [wallet], last: slot })
  const { trades } = (await response.json()) as { trades: { slot: number }[] }
  t.true(trades.every((trade) => Number(trade.slot) <= slot))
  const panel = page.locator('.copies')
  await panel.getByText(`up to slot ${slot}`).waitFor()
  t.is(await panel.locator('.slot-mark').count(), 0)
  await page.locator('.slot-line.pinned').getByRole('link').click()
  await panel.locator('.slot-mark').waitFor()
  t.is(await panel.locator('.slot-mark').textContent(), 'now')
  t.deepEqual(complaints, [])
})
