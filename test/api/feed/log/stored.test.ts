/** Stored events for the feeds: many waiters for the same cost the database one read. */
import test from 'ava'
import { storedEvents } from '../../../../api/feed/log/stored.ts'
import { createReader, type Reader } from '../../../../api/routing/reading/reader.ts'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { highSlot, historyWindow } from '../../../../sql/history-window.ts'
import { slotOf } from '../../../../streams/codec/event-codec.ts'
import type { LanesPublished } from '../../../../streams/feed/published-commits.ts'
import { CHUNK_SLOTS } from '../../../../workers/pool/write/chunk-width.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { planAsRun } from '../../../support/api/plan.ts'
import { SWAP } from '../../../support/events/sample-event.ts'
import { testDatabase } from '../../../support/servers/database.ts'

test('however many wait for their commits to be published, they are looked up together', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const reader = createReader(databaseUrl, { deadlineMs: 30_000 })
  t.teardown(() => reader.end())
  let reads = 0
  const run: Reader['run'] = (signal, work) => {
    reads++
    return reader.run(signal, work)
  }
  const stored = storedEvents({ ...reader, run })
  // However long ago it was: its owner may have died before it published.
  const insert = `insert into checkpoint (actor, lane, epoch, sequence, commit_number, first_slots, last_slots, committed_at)
    values ('pool', 0, 1, 1, 7, '{5}', '{5}', now() - interval '1 hour')`
  await db.query(insert)
  const send = (commit: number, count: number, published: LanesPublished = new Map()) => {
    const commits = new Map([[0, commit]])
    const requested = Array.from({ length: count }, () =>
      stored.arePublished(commits, () => published),
    )
    return Promise.all(requested)
  }
  t.deepEqual(await send(7, 100), Array(100).fill(false))
  t.is(reads, 2, 'the first, and one for all who came while it was under way')
  // A request after a change includes it.
  await db.query("update checkpoint set commit_number = 8 where actor = 'pool'")
  t.deepEqual(await send(7, 100), Array(100).fill(true))
  t.is(reads, 4)
  // Or a process that has read all of its messages.
  await db.query(
    "update checkpoint set published_commit = 8, published_parts = 3 where actor = 'pool'",
  )
  const read = (commitNumber: number, parts: number) => new Map([[0, { commitNumber, parts }]])
  t.deepEqual(await send(8, 1, read(8, 2)), [false])
  t.deepEqual(await send(8, 1, read(7, 3)), [false])
  t.deepEqual(await send(8, 1, read(8, 3)), [true])
  t.deepEqual(await send(8, 1, read(9, 1)), [true])
  t.deepEqual(await send(8, 1), [false])
  await db.query("update checkpoint set first_slots = '{}', last_slots = '{}'")
  t.deepEqual(await send(8, 1), [true], 'its owner says that it stands in FEED')
})

test('expects no publishing from a lane without an owner while other lanes have one', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const reader = createReader(databaseUrl, { deadlineMs: 30_000 })
  t.teardown(() => reader.end())
  const stored = storedEvents(reader)
  await db.query(
    `insert into checkpoint (actor, lane, sequence, commit_number, first_slots, last_slots, committed_at)
     values ('pool', 0, 1, 7, '{}', '{}', now()), ('pool', 1, 1, 7, '{5}', '{5}', now() - interval '2 days')`,
  )
  const request = () => stored.arePublished(new Map([[1, 7]]), () => new Map())
  t.false(await request(), 'nobody works')
  await db.query("update checkpoint set leased_until = now() + interval '20 s' where lane = 0")
  t.true(await request())
  await db.query("update checkpoint set committed_at = now() - interval '1 hour' where lane = 1")
  t.false(await request(), 'somebody may take it yet')
})

test('a history of many chunks comes page by page, each of few of them', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const reader = createReader(databaseUrl, { deadlineMs: 30_000 })
  t.teardown(() => reader.end())
  // A swap in each of 30 chunks, and one after empty years.
  const slots = [...Array.from({ length: 30 }, (_, at) => (at + 1) * CHUNK_SLOTS), 900_000_000]
  const swaps = slots.map((slot, at) => ({
    ...{ ...SWAP, slot, timestamp: SWAP.timestamp + at },
    signature: encodeBase58(new Uint8Array(64).fill(at + 1)),
  }))
  await insertSwaps(db, swaps)
  const stored = storedEvents(reader)
  const found: number[] = []
  let pages = 0
  for (let from = 2 * CHUNK_SLOTS; Number.isFinite(from); pages++) {
    const page = await stored.page('swaps', from, AbortSignal.timeout(30_000))
    found.push(...page.events.map(slotOf))
    from = page.slotEnd
  }
  t.deepEqual(found, slots.slice(1))
  t.true(pages <= 1 + slots.length / 2, `${pages} pages`)
  const ever = [0, Number.MAX_SAFE_INTEGER] as const
  const window = await historyWindow(db, 2 * CHUNK_SLOTS - 1, await highSlot(db, ever), ever)
  const plan = await planAsRun(db, 'swap-history/list_whole_slots', [...window, 500, null, ...ever])
  const chunks = new Set(
    plan.flatMap((node) => (node['Relation Name']?.match(/^_hyper/) ? node['Relation Name'] : [])),
  )
  t.true(chunks.size <= 3, [...chunks].join())
})
