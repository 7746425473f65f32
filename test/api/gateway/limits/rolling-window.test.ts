// The rolling window against a list of all times that were let in.

import test from 'ava'
import fc from 'fast-check'
import { RollingWindow, WINDOW_QUANTA } from '../../../../api/gateway/limits/rolling-window.ts'

test('the sum and the time until the oldest leaves equal those of a list of all times', (t) => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 4_000 }), fc.integer({ min: 0, max: 5 })), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(steps, (taken) => {
      const window = new RollingWindow()
      const times: number[] = []
      let now = 0
      for (const [after, count] of taken) {
        now += after
        // A request in quantum q ended by q + 1, and counts for 60 s from there.
        const counting = times.filter((time) => now < time + 1 + WINDOW_QUANTA)
        t.is(window.sumAt(now), counting.length)
        const oldest = counting[0]
        t.is(window.quantaLeft(now), oldest === undefined ? 0 : oldest + 1 + WINDOW_QUANTA - now)
        if (count > 0) window.add(now, count)
        for (let each = 0; each < count; each++) times.push(now)
      }
    }),
  )
})

test('reports owed counts once, and never after they left the window', (t) => {
  const window = new RollingWindow()
  window.add(10, 3, 3)
  window.add(20, 2)
  window.add(30, 4, 4)
  const reported = window.reportOwed()
  t.deepEqual(reported, [
    { quantum: 10, count: 3 },
    { quantum: 30, count: 4 },
  ])
  t.deepEqual(window.reportOwed(), [])
  t.deepEqual(window.aged(reported, 10 + WINDOW_QUANTA), [
    { age: WINDOW_QUANTA, count: 3 },
    { age: WINDOW_QUANTA - 20, count: 4 },
  ])
  const now = 10 + WINDOW_QUANTA + 1
  t.deepEqual(window.aged(reported, now), [{ age: now - 30, count: 4 }])
  window.sumAt(now)
  window.oweAll()
  t.deepEqual(window.reportOwed(), [
    { quantum: 20, count: 2 },
    { quantum: 30, count: 4 },
  ])
})
