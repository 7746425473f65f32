// Sealed history as operators see it: by /admin/v1, in the console, in metrics and by `swaptide history status`.

import test from 'ava'
import { Registry } from 'prom-client'
import type { PresentedHistory } from '../../../api/admin/v1/history-schema.ts'
import { measureHistory } from '../../../api/serving/operator-metrics/history.ts'
import { sealAged, sealAndStore, storeVerified } from '../../../history/operating/runs.ts'
import { readHistoryState } from '../../../history/operating/state.ts'
import { onConnection } from '../../../sql/db.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { sampleOf } from '../../support/api/metric-value.ts'
import { pretendSealed } from '../../support/history/pretend-sealed.ts'
import { sampleSwap } from '../../support/market/sample-swap.ts'
import { assertLooks, settle, WIDTHS } from '../../support/pages.ts'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'
import { openPipeline, until } from '../../support/workers/pipeline.ts'
import { openPage, WHY_SKIPPED } from '../openapi/browser.ts'
import { consoleUnderTest, OPERATOR_KEY } from './console-under-test.ts'

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial
const ALL = { beforeMs: undefined, toSlot: Number.MAX_SAFE_INTEGER, partsOfChunks: true }
const { signal } = new AbortController()

test('the route and the command give the figures of segments, boundary, runs and verification', async (t) => {
  const { operator, pipeline, api } = await consoleUnderTest(t)
  const none = (await operator('/admin/v1/history')).body.data as unknown as object
  t.like(none, { segments: 0, bytes_per_swap: null, last_slot: null, seal: null, waits: [] })
  await pretendSealed(pipeline.db)
  await insertSwaps(pipeline.db, [
    sampleSwap({ slot: 150 }),
    sampleSwap({ slot: 400, blockTxIndex: 2 }),
  ])
  const { status, body } = await operator('/admin/v1/history')
  t.is(status, 200)
  const found = body.data as unknown as PresentedHistory
  t.like(found, {
    ...{ segments: 2, sealed_swaps: 4_000_000, gone_rows: 37, late_rows: 1 },
    ...{ first_slot: 100, last_slot: 299 },
    seal: {
      hours: 24,
      outcome: 'waits',
      cause: 'retraction',
      reason: 'a retraction is not applied',
    },
    verification: { segments: 2, damaged: 1 },
    waits: [
      { cause: 'retraction', waits: 8 },
      { cause: 'unpublished_commit', waits: 2 },
    ],
  })
  t.is(Math.floor((found.boundary_age_ms ?? 0) / 3_600_000), 30)
  t.is(found.bytes_per_swap, Number(found.bytes) / 4_000_000)
  const { stdout } = await runHere(['history', 'status', '--json'], settingsOf(pipeline))
  const printed = JSON.parse(stdout) as object
  const steady = (state: object) =>
    JSON.parse(
      JSON.stringify(state, (key, value) => (/_age_ms$|^holders$/.test(key) ? undefined : value)),
    )
  t.deepEqual(steady(printed), steady(found))
  const text = (await runHere(['history', 'status'], settingsOf(pipeline))).stdout
  t.regex(text, /^rows of the table in these slots +1$/m)
  t.regex(
    text,
    /^sealer \(SEAL_AFTER_HOURS 24\): waits for 40 min.*: a retraction is not applied; nothing was left to seal 3 h/m,
  )
  t.regex(text, /^verified .* ago: 1 segment of 2 damaged: block 93 of segment 2 is damaged/m)
  t.is((await fetch(`${api.url}/admin/v1/history`)).status, 401)
})

test('rows of the table in chunks below the boundary are those of the statistics', async (t) => {
  const { db } = await openPipeline(t)
  await pretendSealed(db)
  await insertSwaps(db, [sampleSwap({ slot: 150 }), sampleSwap({ slot: 400, blockTxIndex: 2 })])
  t.is((await readHistoryState(db)).late_rows, 1)
  await db.query('update segment set last_slot = 900000 where id = 2')
  await until('the statistics have both rows', 60_000, async () => {
    return (await readHistoryState(db)).late_rows === 2
  })
})

test('runs of the sealer are stored: what they wait for, errors, and that nothing is left to seal', async (t) => {
  const { db, recording } = await openPipeline(t)
  const { log } = recording
  await sealAged(db, log, undefined, signal)
  t.is((await readHistoryState(db)).seal, null)
  await insertSwaps(db, [sampleSwap({ slot: 150 })])
  await db.query(
    `insert into checkpoint (actor, lane, first_slots, last_slots) values ('pool', 0, '{100}', '{199}')`,
  )
  await sealAndStore(db, ALL, 5, signal, () => t.fail())
  const first = await readHistoryState(db)
  t.like(first.seal, { hours: 5, outcome: 'waits', cause: 'unpublished_commit' })
  await sealAndStore(db, ALL, 5, signal, () => t.fail())
  const second = await readHistoryState(db)
  t.deepEqual(second.seal?.since, first.seal?.since)
  t.like(second.waits[0], { cause: 'unpublished_commit', waits: 2 })
  await db.query(`update checkpoint set first_slots = '{}', last_slots = '{}'`)
  await db.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
     create trigger refuse before insert on segment execute function refuse()`,
  )
  await t.throwsAsync(
    sealAndStore(db, ALL, 5, signal, () => t.fail()),
    { message: /no room/ },
  )
  const failed = await readHistoryState(db)
  t.like(failed.seal, { outcome: 'failed', cause: null })
  t.regex(failed.seal?.reason ?? '', /no room/)
  await db.query('drop trigger refuse on segment')
  await db.query(`update history_run set caught_up_at = now() - interval '1 day'`)
  const { waits } = await sealAndStore(db, ALL, 5, AbortSignal.abort(), () => t.fail())
  t.is(waits?.cause, 'stopping')
  t.like((await readHistoryState(db)).seal, { outcome: 'failed' })
  await sealAndStore(db, ALL, 5, signal, () => {})
  const done = await readHistoryState(db)
  t.like(done, { sealed_swaps: 1, last_slot: 150, late_rows: 0 })
  t.like(done.seal, { outcome: 'done', cause: null, reason: null })
  t.true((done.seal?.caught_up_age_ms ?? Number.POSITIVE_INFINITY) < 60_000)
  await sealAged(db, log, undefined, signal)
  t.is((await readHistoryState(db)).seal?.hours, null)
})

test('metrics have the figures of the route, and none where nothing is known', async (t) => {
  const { db } = await openPipeline(t)
  const registry = new Registry()
  measureHistory(registry, () => readHistoryState(db))
  const value = (text: string, name: string, labels = {}) =>
    sampleOf(text, `swaptide_history_${name}`, labels)
  const empty = await registry.metrics()
  for (const name of ['boundary_slot', 'boundary_age_seconds', 'lag_seconds', 'damaged_segments']) {
    t.is(value(empty, name), undefined, name)
  }
  t.is(value(empty, 'refusing_seconds'), 0)
  await pretendSealed(db)
  for (const _ of ['once', 'again']) {
    const text = await registry.metrics()
    t.is(value(text, 'boundary_slot'), 299)
    t.is(value(text, 'sealed_swaps'), 4_000_000)
    t.is(value(text, 'gone_rows'), 37)
    t.is(value(text, 'damaged_segments'), 1)
    t.is(value(text, 'waits_total', { cause: 'retraction' }), 8)
    t.is(Math.floor((value(text, 'refusing_seconds') ?? 0) / 60), 40)
    t.is(Math.floor((value(text, 'lag_seconds') ?? 0) / 3_600), 3)
  }
  await storeVerified(db, { segments: 2, damaged: 0, reason: undefined })
  await db.query(`update history_run set hours = null, outcome = 'done' where kind = 'seal'`)
  const after = await registry.metrics()
  t.is(value(after, 'damaged_segments'), 0)
  t.is(value(after, 'lag_seconds'), undefined)
  t.is(value(after, 'refusing_seconds'), 0)
})

test('a session with an old snapshot is shown by its name, with its age', async (t) => {
  const { db } = await openPipeline(t)
  await onConnection(db, async (connection) => {
    await connection.query(`set application_name = 'a long report'`)
    await connection.query('begin isolation level repeatable read')
    await connection.query('select from segment')
    const { holders } = await readHistoryState(db)
    const held = holders.find(({ name }) => name.startsWith('a long report (pid '))
    await connection.query('rollback')
    await connection.query('reset application_name')
    t.like(held, { kind: 'session' })
    t.true(holders.every(({ age_ms: ms }) => ms === null || ms >= 0))
  })
})

test('a verification on a standby stores nothing', async (t) => {
  const { db } = await openPipeline(t)
  await onConnection(db, async (connection) => {
    await connection.query('set default_transaction_read_only = on')
    await storeVerified(connection, { segments: 1, damaged: 0, reason: undefined })
    await connection.query('reset default_transaction_read_only')
  })
  t.is((await readHistoryState(db)).verification, null)
})

inBrowser(`the console shows what is sealed, and why the sealer waits${WHY_SKIPPED}`, async (t) => {
  const { api, pipeline } = await consoleUnderTest(t)
  for (const width of WIDTHS) {
    const { page, complaints } = await openPage(t, `${api.url}/admin/history`, { width })
    await page.getByLabel('Operator token').fill(OPERATOR_KEY)
    await page.getByRole('button', { name: 'Sign in' }).click()
    if (width === WIDTHS[0]) {
      await page.getByText('It never ran.').waitFor()
      await page.getByText('"swaptide history verify" never ran.').waitFor()
      await pretendSealed(pipeline.db)
      await page.reload()
    }
    await page.locator('#sealed').getByText('4,000,000').waitFor()
    const sealer = (await page.locator('#sealer').textContent()) ?? ''
    t.regex(sealer, /^waits for 40 min.*: a retraction is not applied\. SEAL_AFTER_HOURS is 24\.$/)
    t.is(await page.locator('#waits tbody tr').count(), 2)
    t.regex((await page.locator('#verification').textContent()) ?? '', /^1 segment damaged of 2, /)
    await settle(page)
    await assertLooks(t, page, `console-sealed-history-${width}`)
    t.deepEqual(complaints, [])
  }
})
