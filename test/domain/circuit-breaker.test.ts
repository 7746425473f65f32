/** The breaker on a clock of the test's own. */
import test from 'ava'
import { Breaker } from '../../domain/circuit-breaker.ts'

const breaker = (): Breaker => new Breaker({ failuresMax: 3, restMs: 100 })

test('opens after the given failures in a row, and allows one trial call a rest', (t) => {
  const tried = breaker()
  for (const now of [0, 1, 2]) {
    t.true(tried.allows(now))
    tried.fail(now)
  }
  // Failed at 2: no call until 102.
  t.false(tried.allows(3))
  t.false(tried.allows(101))
  t.true(tried.allows(102))
  // One try is under way: a second one is refused.
  t.false(tried.allows(103))
  t.true(tried.allows(202))
})

test('closes on a success, and counts failures from 0 again', (t) => {
  const tried = breaker()
  for (const now of [0, 1, 2]) tried.fail(now)
  t.true(tried.allows(102))
  tried.succeed()
  for (const now of [103, 104]) {
    t.true(tried.allows(now))
    tried.fail(now)
  }
  t.true(tried.allows(105))
})

test('failures that are not running do not open it', (t) => {
  const tried = breaker()
  for (let now = 0; now < 20; now++) {
    t.true(tried.allows(now))
    if (now % 3 === 2) tried.succeed()
    else tried.fail(now)
  }
})
