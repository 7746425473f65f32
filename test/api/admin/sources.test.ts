// Sources of chain data as operators see them: by /admin/v1, in the console, in metrics and by `swaptide status`.

import test from 'ava'
import { Registry } from 'prom-client'
import { measureSources } from '../../../api/serving/operator-metrics/sources.ts'
import { addCoverage } from '../../../deploy/chain/coverage.ts'
import { ALL_VENUE_BITS } from '../../../domain/coverage.ts'
import { beatSource, listSources } from '../../../sql/chain/sources.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { sampleOf } from '../../support/api/metric-value.ts'
import { sourceBeat } from '../../support/chain/source-beat.ts'
import { sampleSwap } from '../../support/market/sample-swap.ts'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'
import { openPipeline } from '../../support/workers/pipeline.ts'
import { openPage, WHY_SKIPPED } from '../openapi/browser.ts'
import { consoleUnderTest, OPERATOR_KEY } from './console-under-test.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const BLOCKS = [{ slot: 300, blockhash: '300', swaps: 7 }]
const COVERAGE = {
  ...{ venues: ALL_VENUE_BITS, decoderVersion: 2, source: 'rpc', commitment: 'confirmed' },
}

test('lists each source with its progress, and the coverage with its gaps', async (t) => {
  const { operator, pipeline, api } = await consoleUnderTest(t)
  const none = await operator('/admin/v1/sources')
  t.deepEqual(none.body.data as unknown, {
    ...{ sources: [], coverage: { ranges: [], gaps: [] }, warnings: [] },
  })
  const backfill = { kind: 'backfill', from_slot: 1, to_slot: 9, cursor_slot: 4 }
  await beatSource(pipeline.db, sourceBeat())
  await beatSource(pipeline.db, sourceBeat({ ...backfill, venues: 2, last_error: null }))
  await addCoverage(pipeline.db, COVERAGE, { from: 1, to: 4 }, [])
  await addCoverage(pipeline.db, COVERAGE, { from: 300, to: 397 }, BLOCKS)
  const { status, body } = await operator('/admin/v1/sources')
  t.is(status, 200)
  const { sources, coverage } = body.data as unknown as {
    sources: Record<string, unknown>[]
    coverage: { ranges: unknown[]; gaps: object[] }
  }
  t.like(sources[0], { kind: 'backfill', venues: ['venue_1'], lag_slots: null, lag_ms: null })
  t.like(sources[1], { kind: 'rpc', state: 'running', endpoint: 'node.example:8899' })
  t.like(sources[1], { cursor_slot: 397, newest_slot: 400, lag_slots: 3, retries: 2 })
  t.deepEqual(sources[1]?.rejects, [
    { reason: 'no_event', count: 3 },
    { reason: 'no_sol_side', count: 70 },
  ])
  t.is(coverage.ranges.length, 2)
  t.like(coverage.gaps[0], { from_slot: 5, to_slot: 299 })
  t.like(coverage, { complete_since: 300, complete_since_timestamp: null })
  t.is((await fetch(`${api.url}/admin/v1/sources`)).status, 401)
})

test('each source has metrics with the labels of its kind, host and venues', async (t) => {
  const { db } = await openPipeline(t)
  await beatSource(db, sourceBeat())
  // One before it with the same labels, which was killed.
  await beatSource(db, sourceBeat({ cursor_slot: 1, swaps: 1 }))
  await db.query(
    `update chain_source set seen_at = seen_at - interval '8 seconds' where cursor_slot = 1`,
  )
  await beatSource(db, sourceBeat({ kind: 'geyser', venues: 0b1010, newest_block_ms: null }))
  const registry = new Registry()
  measureSources(registry, () => listSources(db))
  for (const _ of ['once', 'again']) {
    const text = await registry.metrics()
    const value = (name: string, labels: Record<string, string>) =>
      sampleOf(text, `swaptide_source_${name}`, labels)
    const rpc = { kind: 'rpc', endpoint: 'node.example:8899', venues: 'all' }
    t.is(value('cursor_slot', rpc), 397)
    t.is(value('lag_slots', rpc), 3)
    t.true((value('lag_seconds', rpc) ?? 0) >= 1.5)
    t.true((value('heartbeat_age_seconds', rpc) ?? 99) < 8)
    t.is(value('events_total', { ...rpc, event: 'swap' }), 1_234)
    t.is(value('rejects_total', { ...rpc, reason: 'no_event' }), 3)
    t.is(value('mismatches_total', { ...rpc, venue: 'venue_4' }), 1)
    t.is(value('repeated_requests_total', { ...rpc, cause: 'throttled' }), 4)
    const geyser = { kind: 'geyser', venues: 'venue_1,venue_3' }
    t.is(value('retries_total', geyser), 2)
    t.is(value('lag_seconds', geyser), undefined)
  }
})

test('status shows the sources with their newest error', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  const { stdout: none } = await runHere(['status'], settings)
  t.notRegex(none, /endpoint/)
  await beatSource(pipeline.db, sourceBeat())
  const backfill = { kind: 'backfill', from_slot: 1, to_slot: 8, cursor_slot: 4, slots: 4 }
  await beatSource(pipeline.db, sourceBeat({ ...backfill, last_error: null }))
  const { stdout } = await runHere(['status'], settings)
  t.regex(stdout, /^source +endpoint +state +slot +lag +slots\/s +swaps\/s +refused +retries$/m)
  t.regex(
    stdout,
    /^rpc +node\.example:8899 +running +397 +3 slots, \d+(\.\d)? s +2\.5 +31\.3 +3 +2$/m,
  )
  t.regex(stdout, /^backfill +node\.example:8899 +running +4 +50 % of its range +2\.5/m)
  t.regex(stdout, /^rpc node\.example:8899: \d+(\.\d)? s ago: no answer in time$/m)
  const { sources } = JSON.parse((await runHere(['status', '--json'], settings)).stdout)
  t.like(sources[1], { kind: 'rpc', lag_slots: 3 })
})

test('a source that stores no slot is shown, also one that never stored any', async (t) => {
  const { operator, pipeline } = await consoleUnderTest(t)
  const { db } = pipeline
  const never = { cursor_slot: null, newest_block_ms: null, slots: 0, last_error: null }
  await beatSource(db, sourceBeat(never))
  await beatSource(db, sourceBeat({ venues: 2 }))
  const age = (seconds: number) =>
    db.query(`update chain_source set moved_at = moved_at - interval '${seconds} seconds'`)
  await age(20)
  const { stdout: young } = await runHere(['status'], settingsOf(pipeline))
  t.is(young.match(/^rpc +node\.example:8899 +running /gm)?.length, 2)
  await age(12)
  const { stdout } = await runHere(['status'], settingsOf(pipeline))
  t.regex(stdout, /^rpc +node\.example:8899 +no slot for 3\d s +- +unknown /m)
  t.regex(stdout, /^rpc +node\.example:8899 +no slot for 3\d s +397 +3 slots, /m)
  const { sources } = (await operator('/admin/v1/sources')).body.data as unknown as {
    sources: { cursor_slot: number | null; moved_age_ms: number }[]
  }
  t.true(sources.every(({ moved_age_ms }) => moved_age_ms >= 32_000))
  const registry = new Registry()
  measureSources(registry, () => listSources(db))
  const labels = { kind: 'rpc', venues: 'all' }
  const value = sampleOf(await registry.metrics(), 'swaptide_source_progress_age_seconds', labels)
  t.true((value ?? 0) >= 32)
})

inBrowser(`the console shows sources, ranges and gaps${WHY_SKIPPED}`, async (t) => {
  const { api, pipeline } = await consoleUnderTest(t)
  const { page, complaints } = await openPage(t, `${api.url}/admin/sources`)
  await page.getByLabel('Operator token').fill(OPERATOR_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('No source of chain data runs').waitFor()
  await page.getByText('No slots were read from the chain.').waitFor()
  await beatSource(pipeline.db, sourceBeat({ last_error: '<b>HTTP status 401</b>' }))
  await addCoverage(pipeline.db, COVERAGE, { from: 1, to: 4 }, [])
  await addCoverage(pipeline.db, COVERAGE, { from: 300, to: 397 }, BLOCKS)
  const source = page.locator('#sources tbody tr', { hasText: 'node.example:8899' })
  await source.getByText('running').waitFor()
  await source.getByText('<b>HTTP status 401</b>').waitFor()
  await source.getByText('3 slots').waitFor()
  t.is(await source.getByText('no slot for').count(), 0)
  await pipeline.db.query(`update chain_source set moved_at = moved_at - interval '32 seconds'`)
  await source.getByText('no slot for 3').waitFor()
  await source.getByText('70 no_sol_side').waitFor()
  t.is(await page.locator('#coverage tbody tr').count(), 2)
  await page.getByText('Complete since slot 300.').waitFor()
  await insertSwaps(pipeline.db, [sampleSwap({ slot: 301, timestamp: Date.UTC(2026, 10, 3, 10) })])
  await page.getByText('Complete since slot 300 (2026-11-03 10:00:00 UTC).').waitFor()
  // Newest first: the cursor is in the last chunk, and half of the slots are read.
  const newest = { kind: 'backfill', from_slot: 1, to_slot: 8, cursor_slot: 8, slots: 4 }
  await beatSource(pipeline.db, sourceBeat(newest))
  await page.getByText('50 % done').waitFor()
  t.regex((await page.locator('#gaps tbody tr').textContent()) ?? '', /5299295/)
  await pipeline.db.query('delete from chain_source')
  await page.getByText('No source of chain data runs').waitFor()
  t.deepEqual(complaints, [])
})
