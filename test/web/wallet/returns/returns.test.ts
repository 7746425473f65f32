// Returns of closed positions and their histogram: a case a rule.

import test from 'ava'
import type { Position } from '../../../../clients/typescript/generated.ts'
import { BAR_NAMES, countsOf, returnOf } from '../../../../web/wallet/returns/returns.ts'

const closed = {
  balance_atomic: 0n,
  uncovered_sell_qty: 0,
  total_buys_sol: 4,
  realized_sol: -1,
  longest_hold_seconds: 90,
} as Position

test('a return is what was realized by what was paid', (t) => {
  t.deepEqual(returnOf(closed), { percent: -25, heldSeconds: 90 })
})

test('has no return with tokens left, with uncovered sells or without a buy', (t) => {
  t.is(returnOf({ ...closed, balance_atomic: 2n ** 60n }), undefined)
  t.is(returnOf({ ...closed, uncovered_sell_qty: 0.5 }), undefined)
  t.is(returnOf({ ...closed, total_buys_sol: 0 }), undefined)
})

test('a return on an edge belongs to the bar that begins there', (t) => {
  const returns = [-100, -75, -0.1, 0, 24, 200, 5_000].map((percent) => ({
    percent,
    heldSeconds: null,
  }))
  t.deepEqual(countsOf(returns), [1, 1, 0, 1, 2, 0, 0, 0, 2])
  t.is(BAR_NAMES.length, 9)
})
