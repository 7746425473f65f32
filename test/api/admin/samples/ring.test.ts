// Samples of the metrics: rates by hand, gaps, counters that were set back, and the bound.

import test from 'ava'
import { SampleRing } from '../../../../api/admin/samples/ring.ts'
import {
  type Reading,
  SERIES_NAMES,
  type SeriesName,
  sampleOf,
} from '../../../../api/admin/samples/sample.ts'

const EVERY_MS = 10_000
const HOUR_SAMPLES = 360

const NOTHING: Reading = {
  takenMs: 0,
  lanes: undefined,
  feed: undefined,
  sources: undefined,
  requests: { upTo: new Map(), errors: 0 },
  failedJobs: undefined,
  deadLetters: undefined,
}

/** A reading with what a test is about. */
const reading = (takenMs: number, more: Partial<Reading> = {}): Reading => ({
  ...NOTHING,
  takenMs,
  ...more,
})
const requestsOf = (upTo: readonly (readonly [number, number])[], errors = 0) => ({
  requests: { upTo: new Map(upTo), errors },
})
const swapsOf = (swaps: number) => ({ feed: { lagMs: 0, swaps } })
const lane = (index: number, sequence: number, latencyMs: number | null, actor = 'pool') => ({
  ...{ actor, lane: index, lag: 2, sequence, latencyMs },
})
const rejectsOf = (counts: Record<string, number>) => ({
  sources: { lagsMs: [], rejects: new Map(Object.entries(counts)) },
})

test('a figure that was not read is null, never 0', (t) => {
  const sample = sampleOf(reading(0), reading(EVERY_MS))
  const unknown = SERIES_NAMES.filter((name) => sample[name] === null)
  // The process knows its own requests: there were none.
  const known = ['requests_per_second', 'server_errors_per_minute']
  t.deepEqual(unknown, SERIES_NAMES.filter((name) => !known.includes(name)) as SeriesName[])
})

test('rates are by the time between two readings, and unknown without a reading before', (t) => {
  const [before, now] = [reading(1_000, swapsOf(100)), reading(9_000, swapsOf(500))]
  t.is(sampleOf(before, now).swaps_per_second, 50)
  t.is(sampleOf(undefined, now).swaps_per_second, null)
  t.is(sampleOf(undefined, now).requests_per_second, null)
  t.is(sampleOf(before, reading(9_000)).swaps_per_second, null)
  t.is(sampleOf(reading(1_000), now).swaps_per_second, null)
})

test('a counter that was set back counts from 0', (t) => {
  const before = reading(0, { ...swapsOf(900), ...requestsOf([[Infinity, 50]], 9) })
  const now = reading(10_000, { ...swapsOf(40), ...requestsOf([[Infinity, 20]], 3) })
  t.like(sampleOf(before, now), {
    swaps_per_second: 4,
    requests_per_second: 2,
    server_errors_per_minute: 18,
  })
})

test('rejects of a source that was started again, or is gone, are never negative', (t) => {
  const before = reading(0, rejectsOf({ 'a no_event': 70, 'b no_event': 5 }))
  const rejects = (counts: Record<string, number>): number | null =>
    sampleOf(before, reading(60_000, rejectsOf(counts))).rejects_per_minute
  t.is(rejects({ 'a no_event': 71, 'b no_event': 7 }), 3)
  t.is(rejects({ 'a no_event': 70, 'c no_event': 2 }), 2)
  t.is(rejects({ 'a no_event': 1, 'b no_event': 5 }), 1)
  t.is(rejects({}), 0)
  t.is(sampleOf(reading(0), reading(60_000, rejectsOf({ a: 9 }))).rejects_per_minute, null)
})

test('lag is the sum of the lanes of an actor, latency the largest of those that moved', (t) => {
  const before = reading(0, { lanes: [lane(0, 5, 10), lane(1, 5, 80), lane(0, 5, 90, 'ledger')] })
  const lanes = [lane(0, 9, 12.5), lane(1, 5, 80), lane(0, 9, 99, 'ledger')]
  t.like(sampleOf(before, reading(EVERY_MS, { lanes })), {
    pool_lag_messages: 4,
    ledger_lag_messages: 2,
    ranking_lag_messages: null,
    commit_latency_ms: 12.5,
  })
  const idle = reading(EVERY_MS, { lanes: [lane(0, 5, 10), lane(1, 5, 80)] })
  t.is(sampleOf(before, idle).commit_latency_ms, null)
  t.is(sampleOf(undefined, idle).commit_latency_ms, null)
})

test('quantiles are interpolated inside the bucket that holds them', (t) => {
  const before = reading(0, requestsOf([]))
  const quantiles = (upTo: readonly (readonly [number, number])[]) => {
    const sample = sampleOf(before, reading(EVERY_MS, requestsOf(upTo)))
    return [sample.request_p50_ms, sample.request_p99_ms]
  }
  // 100 requests: 40 up to 10 ms, 60 more up to 20 ms. The 50th is a sixth into the second bucket.
  const [p50, p99] = quantiles([
    [Infinity, 100],
    [0.01, 40],
    [0.02, 100],
  ])
  t.true(Math.abs(Number(p50) - (10 + 10 / 6)) < 1e-9)
  t.true(Math.abs(Number(p99) - (10 + (10 * 59) / 60)) < 1e-9)
  // Longer than the last bound: the bound is all that is known.
  t.deepEqual(
    quantiles([
      [10, 0],
      [Infinity, 3],
    ]),
    [10_000, 10_000],
  )
  t.deepEqual(quantiles([[Infinity, 0]]), [null, null])
})

test('a point of the grid without a sample is a gap, and the rate after it is unknown', (t) => {
  const ring = new SampleRing(EVERY_MS)
  const start = 1_700_000_000_000
  // On time, a little early, late, and after three points that were missed.
  for (const [afterMs, swaps] of [
    [0, 0],
    [9_999, 100],
    [24_000, 200],
    [60_000, 900],
    [70_000, 1_000],
  ] as const) {
    ring.add(start + afterMs, reading(afterMs, { ...swapsOf(swaps), deadLetters: 1 }))
  }
  const { atMs, series } = ring.columns()
  t.deepEqual(
    atMs.map((ms) => (ms - start) / EVERY_MS),
    [0, 1, 2, 3, 4, 5, 6, 7],
  )
  t.deepEqual(series.dead_letters, [1, 1, 1, null, null, null, 1, 1])
  t.deepEqual(
    series.swaps_per_second.map((rate) => rate !== null),
    [false, true, true, false, false, false, false, true],
  )
  t.is(series.swaps_per_second.at(-1), 10)
})

test('holds an hour and no more, and drops a second reading of the same point', (t) => {
  const ring = new SampleRing(EVERY_MS)
  for (let at = 0; at < 1_000; at++) {
    ring.add(at * EVERY_MS, reading(at * EVERY_MS, { deadLetters: at }))
    ring.add(at * EVERY_MS + 1, reading(at * EVERY_MS + 1, { deadLetters: 0 }))
  }
  const { atMs, series } = ring.columns()
  t.is(atMs.length, HOUR_SAMPLES)
  t.is(atMs[0], 640 * EVERY_MS)
  t.deepEqual([series.dead_letters[0], series.dead_letters.at(-1)], [640, 999])
  for (const name of SERIES_NAMES) t.is(series[name].length, HOUR_SAMPLES, name)
  // After two hours of sleep only the new one is left.
  ring.add(1_720 * EVERY_MS, reading(0))
  t.deepEqual(ring.columns().atMs, [1_720 * EVERY_MS])
})

test('a clock that went back clears the ring', (t) => {
  const ring = new SampleRing(EVERY_MS)
  ring.add(50 * EVERY_MS, reading(0, swapsOf(1)))
  ring.add(20 * EVERY_MS, reading(EVERY_MS, swapsOf(2)))
  t.deepEqual(ring.columns().atMs, [20 * EVERY_MS])
  t.deepEqual(ring.columns().series.swaps_per_second, [null])
})

test('there is nothing before the first sample', (t) => {
  const { atMs, series } = new SampleRing(EVERY_MS).columns()
  t.deepEqual(atMs, [])
  for (const name of SERIES_NAMES) t.deepEqual(series[name], [])
})
