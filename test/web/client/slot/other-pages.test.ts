// Pages of tokens and transactions at a slot of the address, in a real browser over a market that every worker has processed.

import test from 'ava'
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
let mint = ''
let swaps: Row[] = []

test.serial.before(async () => {
  demo = demoOf()
  const trending = await readAs(demo, '/trending?window=1h&limit=1')
  mint = String((trending.results as Row[])[0]?.mint)
  swaps = await readSwaps('limit=50')
})

async function readSwaps(query: string): Promise<Row[]> {
  const answer = await readAs<Record<'data', Row[]>>(demo, `/swaps/token/${mint}?${query}`)
  return answer.data
}

const tradeNameOf = ({ signature, pair_address, ix_index, user, is_buy }: Row): string =>
  `${signature} ${pair_address} ${ix_index} ${user} ${is_buy}`

for (const width of WIDTHS) {
  inBrowser(
    `a token of then has the swaps of then, says what is of now, and is accessible: ${width} wide${WHY_SKIPPED}`,
    async (t) => {
      const slot = String(swaps.at(-1)?.slot)
      const { page, complaints } = await signedIn(t, demo, `/token/${mint}?slot=${slot}`, { width })
      await page.locator('.swaps [data-trade]').first().waitFor()
      await settle(page)
      t.is(await page.locator('.slot-line.pinned').getAttribute('data-slot'), slot)
      t.is(await page.locator('.feed').count(), 0)
      const then = await readSwaps(`limit=25&as_of_slot=${slot}`)
      const shown = await figuresOf(page, 'data-trade', '.swaps [data-trade]')
      t.deepEqual([...shown.keys()], then.map(tradeNameOf))
      for (const row of then) compare(t, slot, shown.get(tradeNameOf(row)) ?? [], row)
      const marked = page.locator('.panel:has(.slot-mark)')
      t.true((await marked.filter({ hasText: 'Audit' }).count()) > 0)
      t.is(await page.locator('.panel.swaps .slot-mark').count(), 0)
      await assertLooks(t, page, 'token-of-then')
      t.deepEqual(complaints, [])
    },
  )
}

inBrowser(
  `a transaction is unknown before its slot, and known from it on${WHY_SKIPPED}`,
  async (t) => {
    const { signature, slot } = swaps.at(-1) ?? {}
    const path = `/tx/${signature}?slot=`
    const { page, complaints } = await signedIn(t, demo, path + slot)
    await page.locator('[data-swap]').first().waitFor()
    t.is(await page.locator('.slot-line.pinned').getAttribute('data-slot'), String(slot))
    await settle(page)
    await assertLooks(t, page, 'transaction-of-then')
    await page.goto(demo.url + path + (Number(slot) - 1))
    await page.locator('.trouble').getByText('Not found').waitFor()
    await page.goto(`${demo.url}/tx/${signature}`)
    await page.locator('[data-swap]').first().waitFor()
    await page.locator('.slot-line:not(.pinned)').waitFor()
    t.deepEqual(
      complaints.filter((text) => !text.includes('404')),
      [],
    )
  },
)

inBrowser(`an address with a slot above the newest one says so${WHY_SKIPPED}`, async (t) => {
  t.plan(1)
  const { page } = await signedIn(t, demo, `/token/${mint}?slot=999999999999`)
  await page.locator('.swaps .trouble').getByText('newest indexed slot').waitFor()
  t.is(await page.locator('.slot-line').count(), 0)
})
