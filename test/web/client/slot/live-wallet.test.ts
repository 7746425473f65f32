// The page of a wallet, open in a real browser while its swaps arrive: all that it shows is of one slot in each picture.

import test from 'ava'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { WHY_SKIPPED } from '../../../api/openapi/browser.ts'
import { PATIENT_MS } from '../../../support/api/api-under-test.ts'
import { startDemo } from '../../../support/deploy/demo.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { forFile, type Row, readAs, settle, signedIn } from '../../../support/pages.ts'
import { CHROMIUM } from '../../../support/web/chromium.ts'
import { until } from '../../../support/workers/pipeline.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const LAMPORT_DIGITS = 9
/** Batches of swaps that arrive while a page is open, and the swaps of each. */
const BATCHES = 3
const BATCH_SWAPS = 5

// The swaps of this file end all windows of its demo.
const demoOf = forFile(startDemo)

/** Swaps of the first test wallet in a token of its own, in slots above all others. */
function swapsOfBatch(batch: number, newestSlot: number): string {
  return Array.from({ length: BATCH_SWAPS }, (_, n) =>
    printEvent({
      kind: 'swap',
      swap: sampleSwap({
        signature: signatureOf(batch * BATCH_SWAPS + n),
        slot: newestSlot + 1 + batch * BATCH_SWAPS + n,
        timestamp: Date.now(),
        tokenAddress: mint(batch % 2),
        pairAddress: pair(batch % 2),
        user: trader(0),
        isBuy: n < BATCH_SWAPS - 1,
      }),
    }),
  ).join('\n')
}

type Sample = { slot: string; tile: string; sum: string; trades: number }

/** Notes the slot, the volume, the sum of its parts and the newest swap with every change of the page. */
const WATCH = `
  window.samples = []
  const exact = (selector) =>
    Array.from(document.querySelectorAll(selector + ' .num[title]')).at(-1)?.title ?? ''
  new MutationObserver(() => {
    const slot = document.querySelector('.slot-line')?.dataset.slot
    const tile = exact('.tiles [data-figure="total_volume_sol"]')
    const sum = exact('.parts [data-sum] [data-figure="volume_lamports"]')
    const trades = document.querySelectorAll('.swaps [data-trade]').length
    if (slot && tile && sum && trades) window.samples.push({ slot, tile, sum, trades })
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
`

inBrowser(`a page never shows two moments while swaps arrive${WHY_SKIPPED}`, async (t) => {
  const demo = demoOf()
  const ingest = async (batch: number) => {
    const answer = await readAs<Record<'data', Row>>(demo, '/api/v1/slot')
    const { code, stderr } = await demo.run(
      ['ingest', '-'],
      swapsOfBatch(batch, Number(answer.data.newest_slot)),
    )
    t.is(code, 0, stderr)
  }
  await ingest(0)
  const path = `/wallet/${trader(0)}?period=all&parts=volume`
  const { page, complaints } = await signedIn(t, demo, path)
  await page.locator('.parts [data-sum]').waitFor()
  await settle(page)
  await page.evaluate(WATCH)
  for (let batch = 1; batch <= BATCHES; batch++) {
    await ingest(batch)
    const expected = BATCH_SWAPS * (batch + 1)
    await until(`${expected} swaps are shown`, PATIENT_MS, async () => {
      const shown = await page.locator('.swaps [data-trade]').count()
      return shown === Math.min(25, expected)
    })
  }
  const samples = await page.evaluate<Sample[]>('window.samples')
  const moments = new Map(samples.map(({ slot, ...figures }) => [slot, figures]))
  t.log(`${samples.length} pictures of ${moments.size} slots`)
  t.true(moments.size > BATCHES, `${moments.size}`)
  for (const { slot, ...figures } of samples) {
    t.is(lamportsOf(figures.tile), lamportsOf(figures.sum), slot)
    t.deepEqual(figures, moments.get(slot))
  }
  t.is(await page.locator('.parts .stale').count(), 0)
  t.deepEqual(complaints, [])
})

/** SOL as a title states it, in lamports. */
function lamportsOf(title: string): bigint {
  const [, digits = '0'] = /^([\d,]+(?:\.\d+)?)/.exec(title) ?? []
  const [whole = '0', fraction = ''] = digits.replaceAll(',', '').split('.')
  return BigInt(whole + fraction.padEnd(LAMPORT_DIGITS, '0').slice(0, LAMPORT_DIGITS))
}
