// The least and the greatest of however many numbers. Pure.

import test from 'ava'
import { greatestOf, leastOf } from '../../../domain/numbers/extremes.ts'

test('finds the bounds of more numbers than a call may have arguments', (t) => {
  for (const count of [1, 2, 1_000_000]) {
    const numbers = Array.from({ length: count }, (_, n) => ((n * 7_919) % count) - 3)
    t.is(leastOf(numbers), -3)
    t.is(greatestOf(numbers), count - 4)
  }
  t.throws(() => Math.max(...Array.from({ length: 1_000_000 }, () => 0)), {
    instanceOf: RangeError,
  })
})

test('returns empty bounds without values', (t) => {
  t.deepEqual([leastOf([]), greatestOf([])], [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
})
