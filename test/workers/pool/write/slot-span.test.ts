/** First and last times of runs of slots, at each width. */
import test from 'ava'
import fc from 'fast-check'
import { applySwap } from '../../../../workers/pool/pool.ts'
import { SLOT_SPAN_WIDTHS, slotSpans } from '../../../../workers/pool/write/slot-span.ts'
import { SWAP } from '../../../support/events/sample-event.ts'
import { emptyPool } from '../../../support/workers/sample-pool.ts'

type Moment = { slot: number; timestamp: number }

const accepted = (moments: readonly Moment[]) =>
  moments.map((moment) => applySwap(emptyPool(), { ...SWAP, ...moment }))

test('each run has its first and last time, runs of one width in order', (t) => {
  const moments = [
    { slot: 10_099, timestamp: 50 },
    { slot: 10_000, timestamp: 60 },
    { slot: 9_999, timestamp: 70 },
    { slot: 10_100, timestamp: 40 },
  ]
  // 100: 9900 holds 9999; 10000 holds 10000..10099; 10100 the last. 10,000: 0 holds 9999. Then all.
  t.deepEqual(slotSpans(accepted(moments)), [
    [100, 100, 100, 10_000, 10_000, 1_000_000_000],
    [9_900, 10_000, 10_100, 0, 10_000, 0],
    [70, 50, 40, 70, 40, 40],
    [70, 60, 40, 70, 60, 70],
  ])
})

test('no swaps have no spans', (t) => {
  t.deepEqual(slotSpans([]), [[], [], [], []])
})

const moments = fc.array(fc.record({ slot: fc.nat(30_000), timestamp: fc.nat(1_000) }), {
  maxLength: 40,
})

test('every swap lies within the span of its run, and the ends are reached', (t) => {
  fc.assert(
    fc.property(moments, (all) => {
      const [widths, buckets, firsts, lasts] = slotSpans(accepted(all))
      for (const width of SLOT_SPAN_WIDTHS) {
        const byRun = Map.groupBy(all, ({ slot }) => slot - (slot % width))
        const rows = widths!.flatMap((each, row) => (each === width ? [row] : []))
        t.deepEqual(
          rows.map((row) => buckets![row]!),
          [...byRun.keys()].sort((a, b) => a - b),
        )
        for (const row of rows) {
          const times = byRun.get(buckets![row]!)!.map(({ timestamp }) => timestamp)
          t.is(firsts![row], Math.min(...times))
          t.is(lasts![row], Math.max(...times))
        }
      }
    }),
  )
})
