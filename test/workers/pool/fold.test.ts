/** A batch of one pool: accepted swaps and their order, late ones, and when it queues a repair. */
import test from 'ava'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { foldPool } from '../../../workers/pool/fold.ts'
import type { PoolState } from '../../../workers/pool/pool-state.ts'
import { emptyPool, liquidityAt, swapAt } from '../../support/workers/sample-pool.ts'

const CORRECTED_FROM = Date.UTC(2026, 6, 15)

function foldBatch(state: PoolState, swaps: readonly Swap[], poolEvents: PoolEvent[] = []) {
  const arrivals = swaps.map((swap) => ({ swap, bytes: new Uint8Array([swap.slot]) }))
  return foldPool({ state, swaps: arrivals, poolEvents })
}

test('swaps are accepted in canonical order, each with the bytes that it came as', (t) => {
  const folded = foldBatch(
    emptyPool(),
    [3, 1, 2].map((slot) => swapAt(slot)),
  )
  t.deepEqual(
    folded.swaps.map(({ accepted, bytes }) => [accepted.swap.slot, ...bytes]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  )
  t.is(folded.late, undefined)
  t.false(folded.needsRepair)
})

test('events of a batch come before its swaps', (t) => {
  const swaps = [swapAt(1, { priceAfter: 0.8 }), swapAt(3)]
  const folded = foldBatch(emptyPool(), swaps, [liquidityAt(2)])
  t.deepEqual(
    folded.swaps.map(({ accepted }) => accepted.priceImpactBps),
    [null, null],
  )
  t.is(folded.late, undefined)
})

test('a swap older than the newest stored one is late, on venues measured by a price', (t) => {
  const state = emptyPool()
  foldBatch(state, [swapAt(5)])
  const folded = foldBatch(state, [swapAt(6), swapAt(4)], [liquidityAt(3), liquidityAt(7)])
  t.deepEqual(
    folded.late?.swaps.map(({ swap }) => swap.slot),
    [4],
  )
  t.deepEqual(
    folded.late?.liquidity.map(({ slot }) => slot),
    [3],
  )
})

test('on a venue of reserves no swap needs its neighbours', (t) => {
  const state = emptyPool()
  foldBatch(state, [swapAt(5, { dex: 3 })])
  const folded = foldBatch(state, [swapAt(4, { dex: 3 })], [liquidityAt(3, { dex: 3 })])
  t.true(folded.swaps[0]?.accepted.isLate)
  t.is(folded.late, undefined)
})

test('measures by the venue of the pool, even if an event names another', (t) => {
  const state = emptyPool()
  foldBatch(state, [swapAt(1, { priceAfter: 0.8 }), swapAt(5)])
  const folded = foldBatch(state, [], [liquidityAt(3, { dex: 3 })])
  t.is(folded.late?.liquidity.length, 1)
})

test('several migrations of one batch queue one repair', (t) => {
  const state = emptyPool()
  foldBatch(state, [swapAt(5, { dex: 2 })])
  const migrated = { event: 'migrated', dex: 2, fromPair: 'the curve' } as const
  const folded = foldBatch(
    state,
    [],
    [
      // One position: the lesser signature decides, and both change the known migration.
      liquidityAt(1, { ...migrated, signature: 'z', timestamp: CORRECTED_FROM }),
      liquidityAt(1, { ...migrated, signature: 'a', timestamp: CORRECTED_FROM - 1 }),
    ],
  )
  t.true(folded.needsRepair)
  t.is(state.migration?.signature, 'a')
})
