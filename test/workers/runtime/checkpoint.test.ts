/** Runs of slots: every slot is in one, and none is wider than it needs to be. */
import test from 'ava'
import fc from 'fast-check'
import { slotRuns } from '../../../workers/runtime/checkpoint.ts'

test('slots close together are a run, others begin the next', (t) => {
  t.deepEqual(slotRuns([]), [])
  t.deepEqual(slotRuns([7, 5, 5, 9]), [{ first: 5, last: 9 }])
  // 9 to 13 is a gap of 4, 13 to 18 one of 5.
  t.deepEqual(slotRuns([18, 13, 9]), [
    { first: 9, last: 13 },
    { first: 18, last: 18 },
  ])
})

test('runs begin and end at given slots, cover all of them, and are separated by gaps', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(60)), (slots) => {
      const runs = slotRuns(slots)
      for (const slot of slots) {
        t.true(runs.some(({ first, last }) => first <= slot && slot <= last))
      }
      for (const [index, { first, last }] of runs.entries()) {
        t.true(slots.includes(first) && slots.includes(last) && first <= last)
        const next = runs[index + 1]
        t.true(next === undefined || next.first - last > 4)
      }
    }),
  )
})
