// The windows in which a list is looked for: whole, without a hole or an overlap, and few.
// Pure.

import test from 'ava'
import fc from 'fast-check'
import { slotWindows } from '../../api/swaps/slot-window.ts'

const ranges = fc
  .tuple(fc.nat(50_000_000), fc.nat(50_000_000))
  .map(([low, length]) => ({ low, high: low + length }))

test('windows cover the range once, without a hole, from the end that is asked for', (t) => {
  fc.assert(
    fc.property(ranges, (range) => {
      const ascending = [...slotWindows(range, 'asc')]
      const descending = [...slotWindows(range, 'desc')].reverse()
      for (const windows of [ascending, descending]) {
        t.is(windows[0]?.low, range.low)
        t.is(windows.at(-1)?.high, range.high)
        for (const [at, { low, high }] of windows.entries()) {
          t.true(low <= high)
          if (at > 0) t.is(low, (windows[at - 1]?.high ?? 0) + 1)
        }
      }
    }),
  )
})

test('the first window is two chunks wide, and an empty range has none', (t) => {
  t.deepEqual(slotWindows({ low: 0, high: 10_000_000 }, 'desc').next().value, {
    low: 10_000_000 - 108_000 + 1,
    high: 10_000_000,
  })
  t.deepEqual([...slotWindows({ low: 5, high: 4 }, 'asc')], [])
})

test('all slots that there may be take few windows', (t) => {
  t.true([...slotWindows({ low: 0, high: Number.MAX_SAFE_INTEGER }, 'desc')].length < 25)
})
