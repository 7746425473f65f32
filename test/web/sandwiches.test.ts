// Sandwiches on the pages of a transaction, a wallet and a token, against the API, and their looks.

import test from 'ava'
import { connect } from '../../sql/db.ts'
import { WHY_SKIPPED } from '../api/openapi/browser.ts'
import { PATIENT_MS } from '../support/api/api-under-test.ts'
import type { Demo } from '../support/deploy/demo.ts'
import { assertLooks, demoForFile, settle, signedIn, WIDTHS } from '../support/pages.ts'
import { CHROMIUM } from '../support/web/chromium.ts'
import { until } from '../support/workers/pipeline.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const LOST = '1.234567891'

const demoOf = demoForFile()
let demo: Demo

/** Makes the three newest swaps of a pool a sandwich, in which the second one lost. */
const INSERTED = `
with leg as (
  select swap.*, row_number() over (order by slot, block_tx_index, ix_index) as ordinal
  from (
    select * from swap
    where pool_id = (select pool_id from swap group by pool_id order by count(*) desc, pool_id limit 1)
    order by slot desc, block_tx_index desc, ix_index desc
    limit 3
  ) as swap
), made as (
  insert into sandwich (
    pool_id, slot, block_tx_index, ix_index, signature, timestamp_ms, last_slot, ruling, link, width, victim_count,
    profit_lamports, gain_of_others_lamports
  )
  select pool_id, 0, 0, 0, signature, timestamp_ms, slot, 'sandwich', 'wallet', 'slot', 1, 5, 0
  from leg where ordinal = 1
  returning id
)
insert into sandwich_leg
select
  made.id, leg.ordinal, case leg.ordinal when 1 then 'front' when 2 then 'victim' else 'back' end, leg.wallet_id, leg.slot,
  leg.block_tx_index, leg.ix_index, leg.timestamp_ms, leg.signature, leg.is_buy, leg.sol_amount, leg.token_amount,
  case leg.ordinal when 2 then 'exact' end, case leg.ordinal when 2 then 1234567891 end,
  case leg.ordinal when 2 then 1234567891 end
from made, leg`

/** Whether the job has searched all that is stored. */
const SEARCHED =
  'select exists (select from sandwich_start) and not exists (select from sandwich_due) as is_done'

test.serial.before(() => {
  demo = demoOf()
})

inBrowser(
  `a sandwich is shown on each page with the lamports of the API${WHY_SKIPPED}`,
  async (t) => {
    const db = connect(String(demo.settings.DATABASE_URL), { max: 1, applicationName: 'test' })
    t.teardown(async () => {
      await db.query(`delete from sandwich where slot = 0`)
      await db.end()
    })
    // Sandwiches of the market would be in the same sums, and the job adds them some seconds after the swaps.
    await until('every slot of the market is searched', PATIENT_MS, async () => {
      const { rows } = await db.query<{ is_done: boolean }>(SEARCHED)
      return rows[0]?.is_done === true
    })
    await db.query('delete from sandwich')
    await db.query(INSERTED)
    const { rows } = await db.query<{ signature: string; wallet: string; mint: string }>(
      `select leg.signature, wallet.address as wallet, token.address as mint
     from sandwich_leg as leg
     join sandwich on sandwich.id = leg.sandwich_id
     join pool on pool.id = sandwich.pool_id
     join token on token.id = pool.token_id
     join wallet on wallet.id = leg.wallet_id
     where leg.role = 'victim' and sandwich.slot = 0`,
    )
    const [victim] = rows
    if (victim === undefined) throw new Error('expected a victim')
    const { page, complaints } = await signedIn(t, demo, `/token/${victim.mint}`)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${demo.url}/token/${victim.mint}`)
      await settle(page)
      await page.locator('[data-mev="day"]').getByText(LOST.slice(0, 4)).waitFor()
      await assertLooks(t, page, `token-sandwich-${width}`)
      await page.goto(`${demo.url}/wallet/${victim.wallet}`)
      await settle(page)
      const lost = page.locator('[data-mev="suffered"]')
      await lost.getByText(LOST.slice(0, 4)).waitFor()
      await lost.click()
      await page.locator('[data-sum="sandwiches"]').waitFor()
      await assertLooks(t, page, `wallet-sandwich-${width}`)
      await page.goto(`${demo.url}/tx/${victim.signature}`)
      await settle(page)
      await page.getByRole('heading', { name: 'Victim of a sandwich' }).waitFor()
      await page
        .locator('[data-role="victim"] [data-figure="loss"]')
        .getByText(LOST.slice(0, 4))
        .waitFor()
      await assertLooks(t, page, `tx-sandwich-${width}`)
    }
    t.deepEqual(complaints, [])
  },
)
