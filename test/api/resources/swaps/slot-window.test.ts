// The windows in which a list is looked for: whole, without a hole or an overlap, and few.
// Pure.

import test from 'ava'
import fc from 'fast-check'
import {
  afterWindow,
  FIRST_WIDTH,
  fromSlot,
  nextWidth,
  type SlotWindow,
  windowOf,
} from '../../../../api/resources/swaps/slot-window.ts'
import type { Order } from '../../../../history/swaps/served-swap.ts'

const PACES = ['quick', 'even', 'slow'] as const
type Pace = (typeof PACES)[number]

const ranges = fc
  .tuple(fc.nat(50_000_000), fc.nat(50_000_000))
  .map(([low, length]) => ({ low, high: low + length }))
/** Quick reads always recur, else a range may need a hundred thousand windows. */
const paces = fc
  .array(fc.constantFrom(...PACES), { maxLength: 6 })
  .map((some): Pace[] => [...some, 'quick', 'quick', 'quick', 'quick', 'quick', 'quick', 'quick'])

function windowsOf(range: SlotWindow, order: Order, walked: readonly Pace[]): SlotWindow[] {
  const windows: SlotWindow[] = []
  let width = FIRST_WIDTH
  for (let rest = range; rest.low <= rest.high; ) {
    const window = windowOf(rest, width, order)
    rest = afterWindow(rest, window, order)
    width = nextWidth(width, walked[windows.length % walked.length] ?? 'quick')
    windows.push(window)
  }
  return windows
}

test('windows cover the range once, without a gap, from the requested end, at any pace', (t) => {
  fc.assert(
    fc.property(ranges, paces, (range, walked) => {
      const ascending = windowsOf(range, 'asc', walked)
      const descending = windowsOf(range, 'desc', walked).reverse()
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

test('the first window is two chunks wide, and an empty range has no window', (t) => {
  t.deepEqual(windowOf({ low: 0, high: 10_000_000 }, FIRST_WIDTH, 'desc'), {
    low: 10_000_000 - 108_000 + 1,
    high: 10_000_000,
  })
  t.deepEqual(windowsOf({ low: 5, high: 4 }, 'asc', ['quick']), [])
})

test('where a slot is not yet done whole, the rest begins with it', (t) => {
  t.deepEqual(fromSlot({ low: 3, high: 9 }, 5, 'asc'), { low: 5, high: 9 })
  t.deepEqual(fromSlot({ low: 3, high: 9 }, 5, 'desc'), { low: 3, high: 5 })
  t.deepEqual(fromSlot({ low: 3, high: 9 }, 1, 'asc'), { low: 3, high: 9 })
  t.deepEqual(fromSlot({ low: 3, high: 9 }, 11, 'desc'), { low: 3, high: 9 })
})

test('all possible slots need few windows, and none is narrower than 100', (t) => {
  const all = { low: 0, high: Number.MAX_SAFE_INTEGER }
  t.true(windowsOf(all, 'desc', ['quick']).length < 25)
  t.is(nextWidth(100, 'slow'), 100)
  t.is(nextWidth(FIRST_WIDTH, 'even'), FIRST_WIDTH)
})
