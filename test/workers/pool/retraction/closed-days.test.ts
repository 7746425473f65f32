/**
 * Retractions and closed days of charts: two days back they are computed again, older ones stay and refuse. The first lane
 * judges for all, also where the others read the retraction after the next midnight.
 */
import test from 'ava'
import { runCounts } from '../../../../deploy/ingest/run-counts.ts'
import type { Event } from '../../../../domain/events/event.ts'
import type { Retraction } from '../../../../domain/events/retraction.ts'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'
import { laneOf } from '../../../../streams/nats/lane.ts'
import { retryDeadLetters } from '../../../../workers/dead-letters.ts'
import { refusalOf } from '../../../../workers/pool/retraction/retracted-blocks.ts'
import { poolOf, swapEvent } from '../../../support/events/sample-event.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import {
  openPipeline,
  publishAll,
  readSwap,
  until,
  untilCaughtUp,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const NOON_MS = Date.parse('2026-07-20T12:00:00Z')

const swapOn = (day: number) =>
  swapEvent({
    slot: 1_000 * (day + 1),
    timestamp: NOON_MS + day * DAY_MS,
    signature: encodeBase58(new Uint8Array(64).fill(day + 1)),
  })

test('a slot of an old day is refused, one of two days ago reopens the stored days', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, topology } = pipeline
  await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
  await publishAll(pipeline, [0, 3, 4, 5].map(swapOn))
  await untilLedgerCaughtUp(pipeline)
  await db.query(
    `insert into chart_day
     select wallet.id, day * $2::bigint + $1::bigint / $2::bigint * $2::bigint, 1
     from wallet, unnest(array[0, 3, 4]) as day`,
    [NOON_MS, DAY_MS],
  )
  await publishAll(pipeline, [
    { kind: 'retract', retraction: { slot: 1_000 } },
    { kind: 'retract', retraction: { slot: 5_000 } },
  ])
  await until('all lanes have read', 60_000, async () => {
    const { rowCount } = await db.query('select from retraction where is_applied')
    return rowCount === topology.laneCount
  })
  await untilLedgerCaughtUp(pipeline)
  const slots = await db.query<{ slot: number }>('select slot from swap order by slot')
  t.deepEqual(
    slots.rows.map(({ slot }) => Number(slot)),
    [1_000, 4_000, 6_000],
  )
  const { rows: dead } = await db.query<{ reason: string }>('select reason from dead_letter')
  t.is(dead.length, 1)
  t.regex(
    dead[0]?.reason ?? '',
    /^retraction of slot 1000: its day 2026-07-20 is closed; expected the day of the newest swap or one of the 2 before it$/,
  )
  const days = await db.query<{ day: number }>(
    'select ((day_ms - $1::bigint) / $2::bigint)::integer as day from chart_day order by 1',
    [NOON_MS - DAY_MS / 2, DAY_MS],
  )
  t.deepEqual(
    days.rows.map(({ day }) => day),
    [0, 3],
  )
})

test('a refused retraction is one dead letter and counts once, though every lane reads it', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, jetStream, topology } = pipeline
  await runWorker(t, pipeline)
  await publishAll(pipeline, [swapOn(0), swapOn(9)])
  await untilCaughtUp(pipeline)
  const retractions: Retraction[] = [{ slot: 1_000 }, { slot: 1_001 }]
  // The third breaks the contract, whatever the day.
  retractions.push({ slot: 1_002, blockhash: 'abc' })
  const refused = retractions.map((retraction): Event => ({ kind: 'retract', retraction }))
  await publishAll(pipeline, refused, { run: 'old' })
  await untilCaughtUp(pipeline)
  t.like(await runCounts(db, 'old'), { dead: refused.length, other: 0 })
  const letters = await db.query<{ id: number; reason: string }>(
    'select id, reason from dead_letter order by id',
  )
  t.is(letters.rowCount, refused.length)
  t.regex(letters.rows[2]?.reason ?? '', /blockhash/)
  // Sent again it reaches every lane, and is refused once more.
  const ids = letters.rows.slice(0, 1).map(({ id }) => Number(id))
  t.deepEqual(await retryDeadLetters(db, { jetStream, topology }, ids, 'test'), ids)
  await untilCaughtUp(pipeline)
  const again = await db.query('select from dead_letter where retried_at is null')
  t.is(again.rowCount, refused.length)
  const messages = (await readSwap(pipeline)).filter(({ kind }) => kind === 'retract')
  t.is(messages.length, (refused.length + 1) * topology.laneCount)
})

/** Pools of every lane; a transaction each on both sides of the midnight before day 2. */
const POOLS = Array.from({ length: 12 }, (_, n) => poolOf(n))
const STRADDLING = POOLS.flatMap((pairAddress, n) =>
  [-200, 200].map((ms, side) =>
    swapEvent({
      pairAddress,
      slot: 70_000,
      timestamp: NOON_MS + 2 * DAY_MS - DAY_MS / 2 + ms,
      signature: encodeBase58(new Uint8Array(64).fill(100 + 2 * n + side)),
    }),
  ),
)

test('lanes that apply a block over midnight a day apart reopen the same days', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, topology } = pipeline
  const { laneCount } = topology
  const latch = Promise.withResolvers<void>()
  let isHeld = false
  await runWorker(t, pipeline, {
    actors: ['pool', 'ledger'],
    // Wallet lanes wait, too: one pool lane is enough.
    onStep: (step, lane) => (step === 'pulled' && lane > 0 && isHeld ? latch.promise : undefined),
  })
  t.teardown(() => latch.resolve())
  const first = POOLS.find((pair) => laneOf(pair, laneCount) === 0)!
  const inFirstLane = (day: number) => {
    const event = swapOn(day)
    return event.kind === 'swap' ? swapEvent({ ...event.swap, pairAddress: first }) : event
  }
  await publishAll(pipeline, [...STRADDLING, inFirstLane(4)])
  await untilLedgerCaughtUp(pipeline)
  await db.query(
    `insert into chart_day
     select wallet.id, day * $2::bigint + $1::bigint / $2::bigint * $2::bigint, 1
     from wallet, unnest(array[0, 1, 2, 3]) as day`,
    [NOON_MS, DAY_MS],
  )
  isHeld = true
  await publishAll(pipeline, [{ kind: 'retract', retraction: { slot: 70_000 } }])
  await until('the first lane has applied it', 60_000, async () => {
    const { rowCount } = await db.query('select from retraction where lane = 0 and is_applied')
    return rowCount === 1
  })
  await publishAll(pipeline, [inFirstLane(5)])
  await until('the next day has begun', 60_000, async () => {
    const { rows } = await db.query<{ newest: number }>('select newest_swap_ms() as newest')
    return rows[0]?.newest === NOON_MS + 5 * DAY_MS
  })
  latch.resolve()
  await untilLedgerCaughtUp(pipeline)
  const { rows: dead } = await db.query<{ reason: string }>('select reason from dead_letter')
  t.deepEqual(dead, [])
  const applied = await db.query('select from retraction where is_applied')
  t.is(applied.rowCount, laneCount)
  const left = await db.query('select from swap where slot = 70000')
  t.is(left.rowCount, 0)
  const days = await db.query<{ day: number }>(
    'select ((day_ms - $1::bigint) / $2::bigint)::integer as day from chart_day order by 1',
    [NOON_MS - DAY_MS / 2, DAY_MS],
  )
  t.deepEqual(
    days.rows.map(({ day }) => day),
    [0],
  )
})

test('the first judgement of a retraction binds all lanes', async (t) => {
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  await runWorker(t, pipeline)
  await publishAll(pipeline, [swapOn(0), swapOn(3)])
  await untilCaughtUp(pipeline)
  const judge = (slot: number) =>
    Promise.all(Array.from({ length: 8 }, () => refusalOf(db, { slot })))
  t.true((await judge(1_000)).every((reason) => reason?.includes('2026-07-20 is closed')))
  t.deepEqual([...new Set(await judge(4_000))], [undefined])
  // A later swap near the refused slot would let it in, a later day would refuse the accepted one.
  const near = { slot: 1_001, timestamp: NOON_MS + 6 * DAY_MS }
  const signature = encodeBase58(new Uint8Array(64).fill(99))
  await publishAll(pipeline, [swapOn(6), swapEvent({ ...near, signature })])
  await untilCaughtUp(pipeline)
  t.true((await judge(1_000)).every((reason) => reason !== undefined))
  t.deepEqual([...new Set(await judge(4_000))], [undefined])
})
