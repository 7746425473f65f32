/** How wide the next chunks of `swap` are: the inputs of the decision, and its effect in the database. */
import test from 'ava'
import type { Event } from '../../../../domain/events/event.ts'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import type { Db } from '../../../../sql/db.ts'
import {
  CHUNK_SLOTS,
  type ChunkFill,
  ChunkWidth,
  chunkWidth,
} from '../../../../workers/pool/write/chunk-width.ts'
import { assertExact } from '../../../simulation/judge.ts'
import { swapEvent } from '../../../support/events/sample-event.ts'
import { testDatabase } from '../../../support/servers/database.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const BOUND_MS = 60_000
const SLOT_MS = 400

/** A chunk with so many swaps, from its beginning on, `part` of a quarter of a day long. */
function fill(at: number, swaps: number, part = 1): ChunkFill {
  const first = at * CHUNK_SLOTS
  return {
    first_slot: first,
    last_slot: first + Math.ceil(part * CHUNK_SLOTS) - 1,
    row_count: swaps,
  }
}

const times = (count: number): number => count * CHUNK_SLOTS

test('widens chunks to four days for little trading, and narrows them to a quarter of a day for much', (t) => {
  const widths = [1, 1_000, 1_250_000, 1_260_000, 5_000_000, 10_000_000, 10_100_000, 43_000_000]
  t.deepEqual(
    widths.map((swaps) => chunkWidth(CHUNK_SLOTS, [fill(0, swaps)], undefined) / CHUNK_SLOTS),
    [16, 16, 16, 8, 4, 2, 1, 1],
  )
})

test('the densest chunk decides: an old history alongside a busy market does not widen chunks', (t) => {
  const old = [1, 2, 3, 4].map((at) => fill(at, 1, 1 / CHUNK_SLOTS))
  const busy = fill(9_000, 43_000_000)
  t.is(chunkWidth(CHUNK_SLOTS, [...old, busy], undefined), CHUNK_SLOTS)
  t.is(chunkWidth(CHUNK_SLOTS, [...old, busy], 2), CHUNK_SLOTS)
})

test('ignores a chunk that was begun just before its end', (t) => {
  const begun = fill(0, 20_000, 0.001)
  t.is(chunkWidth(CHUNK_SLOTS, [], undefined), CHUNK_SLOTS)
  t.is(chunkWidth(CHUNK_SLOTS, [begun], undefined), CHUNK_SLOTS)
  t.is(chunkWidth(times(4), [begun, fill(1, 43_000_000)], undefined), CHUNK_SLOTS)
  // Several of them: a market of a swap now and then.
  t.is(
    chunkWidth(
      CHUNK_SLOTS,
      [0, 1, 2].map((at) => fill(at, 1, 0.001)),
      undefined,
    ),
    times(16),
  )
})

test('a batch that spans quarters of days determines their density', (t) => {
  t.is(chunkWidth(CHUNK_SLOTS, [], 1), times(16))
  t.is(chunkWidth(CHUNK_SLOTS, [], 4_000_000), times(4))
  t.is(chunkWidth(CHUNK_SLOTS, [fill(0, 9_000_000)], 1), times(2))
})

test('narrows wide chunks after a market has woken up, and not for every wave', (t) => {
  // Two days at 30 swaps a second are 13 M; at 100 they would be 43 M.
  t.is(chunkWidth(times(8), [fill(0, 4_900_000)], undefined), times(8))
  t.is(chunkWidth(times(8), [fill(0, 5_100_000)], undefined), times(2))
  t.is(chunkWidth(times(16), [fill(0, 43_000_000)], undefined), CHUNK_SLOTS)
})

async function chunksOf(db: Db): Promise<{ count: number; width: number }> {
  const { rows } = await db.query(`
    select
      (select count(*)::integer from show_chunks('swap')) as count,
      (
        select integer_interval
        from timescaledb_information.dimensions
        where hypertable_schema = current_schema() and hypertable_name = 'swap'
      ) as width`)
  return rows[0]
}

/** Swaps of one pool, so many slots from each other. */
function history(count: number, slotsBetween: number): Event[] {
  return Array.from({ length: count }, (_, index) =>
    swapEvent({
      signature: encodeBase58(new Uint8Array(new Uint32Array(16).fill(index + 1).buffer)),
      slot: 200_000_000 + index * slotsBetween,
      timestamp: 1_700_000_000_000 + index * slotsBetween * SLOT_MS,
    }),
  )
}

test('a history of a swap in each quarter of a day makes a sixteenth of the chunks, and is exact', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const swaps = 320
  await publishAll(pipeline, history(swaps, CHUNK_SLOTS), { eventsMax: 100 })
  await untilCaughtUp(pipeline, BOUND_MS)
  const { count, width } = await chunksOf(pipeline.db)
  t.is(width, times(16))
  t.true(count <= swaps / 16 + 1, `${count} chunks`)
  // 80 days, four of them a chunk.
  const { rows } = await pipeline.db.query(
    "select count(*)::integer as minutes from show_chunks('candle_1m')",
  )
  t.true(rows[0].minutes <= 80 / 4 + 1, `${rows[0].minutes} chunks of minutes`)
  await assertExact(t, pipeline)
})

test('lanes that meet a history at once widen its chunks one after the other', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const lanes = 8
  for (let round = 0; round < 20; round++) {
    const sparse = [0, 1].map((span) => ({ swap: { slot: (2 * round + span) * CHUNK_SLOTS } }))
    await db.query(`select set_chunk_time_interval('swap', ${CHUNK_SLOTS})`)
    const widths = Array.from({ length: lanes }, () => new ChunkWidth(db, lanes))
    await t.notThrowsAsync(Promise.all(widths.map((width) => width.prepare(sparse))))
  }
  t.is((await chunksOf(db)).width, times(16))
})

test('swaps close together do not change the width of chunks', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  await publishAll(pipeline, history(300, 1), { eventsMax: 100 })
  await untilCaughtUp(pipeline, BOUND_MS)
  t.deepEqual(await chunksOf(pipeline.db), { count: 1, width: CHUNK_SLOTS })
})
