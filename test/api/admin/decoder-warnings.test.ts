/** Warnings of the decoder as operators see them: by /admin/v1, in the console, in metrics, by status and by coverage. */
import test from 'ava'
import { Registry } from 'prom-client'
import { measureWarnings } from '../../../api/serving/operator-metrics/sources.ts'
import { listWarnings } from '../../../sql/chain/decoder-warnings.ts'
import { sampleOf } from '../../support/api/metric-value.ts'
import { addWarnings } from '../../support/chain/source-beat.ts'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'
import { openPipeline } from '../../support/workers/pipeline.ts'
import { openPage, WHY_SKIPPED } from '../openapi/browser.ts'
import { consoleUnderTest, OPERATOR_KEY } from './console-under-test.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
test('the route lists warnings by venue', async (t) => {
  const { operator, pipeline } = await consoleUnderTest(t)
  await addWarnings(pipeline.db)
  const { warnings } = (await operator('/admin/v1/sources')).body.data as unknown as {
    warnings: Record<string, unknown>[]
  }
  t.is(warnings.length, 3)
  t.like(warnings[0], { venue: 'venue_4', kind: 'unknown_event', subject: 'fedcba9876543210' })
  t.like(warnings[1], { venue: 'venue_5', kind: 'reject_rate', share: 0.25, ended_slot: null })
  t.like(warnings[2], { kind: 'upgrade', first_slot: 300, last_slot: 300, reads: 1, share: null })
  t.false('age_ms' in (warnings[0] ?? {}))
})

test('metrics count warnings by venue and kind, and give the age of the newest', async (t) => {
  const { db } = await openPipeline(t)
  await addWarnings(db)
  await db.query(
    `update decoder_warning set first_seen_at = now() - interval '1 hour' where dex = 4`,
  )
  const registry = new Registry()
  measureWarnings(registry, () => listWarnings(db))
  for (const _ of ['once', 'again']) {
    const text = await registry.metrics()
    const age = (labels: Record<string, string>) =>
      sampleOf(text, 'swaptide_decoder_warning_age_seconds', labels) ?? -1
    t.is(sampleOf(text, 'swaptide_decoder_warnings', { venue: 'venue_5', kind: 'reject_rate' }), 1)
    t.is(
      sampleOf(text, 'swaptide_decoder_warnings', { venue: 'venue_4', kind: 'unknown_event' }),
      1,
    )
    t.true(age({ venue: 'venue_4', kind: 'unknown_event' }) >= 3_600)
    t.true(age({ venue: 'venue_5', kind: 'upgrade' }) < 600)
  }
  await db.query(`update decoder_warning set ended_slot = 900 where kind = 'reject_rate'`)
  const labels = { kind: 'reject_rate' }
  t.is(sampleOf(await registry.metrics(), 'swaptide_decoder_warnings', labels), 0)
})

test('status and coverage name each warning with its slots', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  t.notRegex((await runHere(['coverage'], settings)).stdout, /warning/)
  await addWarnings(pipeline.db)
  for (const command of ['status', 'coverage']) {
    const { stdout } = await runHere([command], settings)
    t.regex(stdout, /^3 decoder warnings /m, command)
    t.regex(stdout, /^ {2}venue_5: its program was changed: upgrade 5xSignature, slot 300$/m)
    t.regex(stdout, /^ {2}venue_4: an event that .*: fedcba9876543210, slot 301$/m)
    t.regex(stdout, /^ {2}venue_5: more rejected swaps than usual: unreadable 25\.0 %, slot 301$/m)
    const shown = JSON.parse((await runHere([command, '--json'], settings)).stdout)
    t.is(shown.decoder_warnings.length, 3)
  }
})

inBrowser(`the console shows warnings on the page of sources${WHY_SKIPPED}`, async (t) => {
  const { api, pipeline } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin/sources`)
  await page.getByLabel('Operator token').fill(OPERATOR_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('No sign that the program of a venue has changed.').waitFor()
  await addWarnings(pipeline.db)
  const rows = page.locator('#warnings tbody tr')
  await rows.filter({ hasText: 'upgrade 5xSignature' }).getByText('program changed').waitFor()
  await rows.filter({ hasText: '25.0 % of swaps' }).getByText('reject rate').waitFor()
  await rows.filter({ hasText: 'fedcba9876543210' }).waitFor()
  t.deepEqual(complaints, [])
})
