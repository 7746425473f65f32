/**
 * Swaps that were dropped and come again are refused: nothing that is derived from swaps changes, and later ones are applied as ever. Where
 * these are retracted, pools are as after their last dropped swap.
 */
import test from 'ava'
import { runCounts } from '../../../deploy/ingest/run-counts.ts'
import type { Event, MarketEvent } from '../../../domain/events/event.ts'
import { payloadOf } from '../../../domain/events/event.ts'
import { dropFirst } from '../../../history/dropping/drop.ts'
import { readSealed } from '../../../history/sealed/state.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { type Db, onConnection } from '../../../sql/db.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { freshSeed, requestedSeed } from '../../support/seed.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const SEED = requestedSeed() ?? freshSeed()
const SWAPS = 900
const FROM_MS = Date.parse('2026-07-20T12:00:00Z')
const MINUTE_MS = 60_000
const ANY_AGE = Number.MAX_SAFE_INTEGER
const POOLS_RETRACTED = 8

/** Rows that are derived from swaps, by names. */
async function derived(db: Db): Promise<Record<string, unknown[]>> {
  const rowsOf = async (text: string) => (await db.query(text)).rows
  const ofPools = (table: string) =>
    rowsOf(
      `select pool.pair_address, to_jsonb(t) - 'pool_id' as row from ${table} as t
       join pool on pool.id = t.pool_id order by 1, (to_jsonb(t) - 'pool_id')::text`,
    )
  return {
    candle_1m: await ofPools('candle_1m'),
    candle_15m: await ofPools('candle_15m'),
    candle_4h: await ofPools('candle_4h'),
    pool: await rowsOf(
      `select to_jsonb(pool) - 'id' - 'token_id' as row from pool order by pair_address`,
    ),
    position: await rowsOf(
      `select wallet.address as wallet, token.address as mint,
         to_jsonb(position) - 'wallet_id' - 'token_id' as row
       from position join wallet on wallet.id = wallet_id join token on token.id = token_id
       order by 1, 2`,
    ),
    slot_span: await rowsOf(
      `select width, bucket, min(first_ms), max(last_ms) from slot_span group by 1, 2 order by 1, 2`,
    ),
    // A retraction may be applied by another lane.
    venue_volume: await rowsOf(
      `select width, bucket_ms, dex, sum(trade_count) as trade_count, sum(volume_lamports) as volume_lamports
       from venue_volume group by 1, 2, 3 having sum(trade_count) > 0 order by 1, 2, 3`,
    ),
  }
}

const slotOf = (event: MarketEvent): number =>
  event.kind === 'token' ? event.token.slot : payloadOf(event).slot
const msOf = (event: MarketEvent): number =>
  event.kind === 'token' ? 0 : payloadOf(event).timestamp

/** Slots of all later swaps of some pools that also traded before. */
function slotsOfOldPools(old: readonly MarketEvent[], rest: readonly MarketEvent[]): number[] {
  const swapsOf = (events: readonly MarketEvent[]) =>
    events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const traded = new Set(swapsOf(old).map(({ pairAddress }) => pairAddress))
  const later = swapsOf(rest).filter(({ pairAddress }) => traded.has(pairAddress))
  const pools = [...Map.groupBy(later, ({ pairAddress }) => pairAddress).values()]
  const few = pools.sort((a, b) => a.length - b.length).slice(0, POOLS_RETRACTED)
  return [...new Set(few.flat().map(({ slot }) => slot))]
}

async function sealUpTo(db: Db, low: number, high: number): Promise<void> {
  await until('the slots are sealed', 60_000, async () => {
    const sealing = await onConnection(db, (connection) => sealSlots(connection, { low, high }))
    return sealing.outcome === 'sealed'
  })
}

test(`dropped swaps that come again are refused and change nothing, seed ${SEED}`, async (t) => {
  const events = [...simulate({ seed: SEED, swaps: SWAPS, fromMs: FROM_MS, swapsPerSlot: 1 })]
  const [plain, dropped] = [await openPipeline(t), await openPipeline(t)]
  for (const pipeline of [plain, dropped]) await runWorker(t, pipeline)
  const slots = events.filter(({ kind }) => kind === 'swap').map(slotOf)
  const cut = slots[Math.floor(slots.length / 3)]!
  const early = events.filter((event) => event.kind !== 'token' && slotOf(event) <= cut)
  const sinceMs = Math.floor(Math.max(...early.map(msOf)) / MINUTE_MS + 2) * MINUTE_MS
  const isFirst = (event: MarketEvent) => slotOf(event) <= cut || msOf(event) < sinceMs
  const [first, rest] = [events.filter(isFirst), events.filter((event) => !isFirst(event))]
  for (const pipeline of [plain, dropped]) {
    await publishAll(pipeline, first, { run: 'first' })
    await untilCaughtUp(pipeline)
  }
  await sealUpTo(dropped.db, 0, cut)
  await sealUpTo(dropped.db, cut + 1, slotOf(first.at(-1)!))
  // Swaps of the last slot may stay in the table.
  const end = (await readSealed(dropped.db)).segments[0]!.lastSlot
  const old = early.filter((event) => slotOf(event) <= end)
  // No job searches sandwiches here.
  await dropped.db.query('truncate sandwich_due')
  const drop = await onConnection(dropped.db, (connection) => dropFirst(connection, ANY_AGE))
  t.like(drop, { outcome: 'dropped', sinceSlot: end + 1 })
  t.true((await readSealed(dropped.db)).since!.ms <= sinceMs)
  const before = await derived(dropped.db)
  await publishAll(dropped, old, { eventsMax: 31, run: 'again' })
  await untilCaughtUp(dropped)
  t.deepEqual(await derived(dropped.db), before)
  const swaps = old.filter(({ kind }) => kind === 'swap').length
  const counts = await runCounts(dropped.db, 'again')
  t.like(counts, { accepted: 0, duplicate: 0, other: 0 })
  // The stream leaves out a batch that equals one of the first run.
  const again = counts.dropped_swap + counts.dropped_pool_event
  t.true(counts.dropped_swap <= swaps && again > 0.9 * old.length, JSON.stringify(counts))
  const refused = await dropped.db.query(
    `select sum(refused)::integer as refused from history_refusal where kind = 'event'`,
  )
  t.is(refused.rows[0].refused, again)
  t.true(rest.length > 200)
  for (const pipeline of [plain, dropped]) {
    await publishAll(pipeline, rest, { run: 'rest' })
    await untilCaughtUp(pipeline)
  }
  const positions = await dropped.db.query(`select from history_refusal where kind = 'position'`)
  t.is(positions.rowCount, 0)
  t.deepEqual(await derived(dropped.db), await derived(plain.db))
  const gone = slotsOfOldPools(old, rest)
  t.true(gone.length >= POOLS_RETRACTED)
  for (const pipeline of [plain, dropped]) {
    await publishAll(
      pipeline,
      gone.map((slot): Event => ({ kind: 'retract', retraction: { slot } })),
    )
    await untilCaughtUp(pipeline)
  }
  const restored = ['pool', 'candle_1m', 'candle_15m', 'candle_4h', 'venue_volume', 'slot_span']
  const [own, expected] = [await derived(dropped.db), await derived(plain.db)]
  for (const table of restored) t.deepEqual(own[table], expected[table], table)
})
