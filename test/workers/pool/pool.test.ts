/** One pool's fold: prices, the reference of the next swap, late events, and the migration. */
import test from 'ava'
import fc from 'fast-check'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import { compareSwaps, liesBetween, type Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import {
  applyPoolEvent,
  applySwap,
  correctedPoolPrice,
  poolPrice,
} from '../../../workers/pool/pool.ts'
import type { PoolState } from '../../../workers/pool/pool-state.ts'
import { SWAP } from '../../support/events/sample-event.ts'
import { emptyPool, liquidityAt, positionAt, swapAt } from '../../support/workers/sample-pool.ts'

const CORRECTED_FROM = Date.UTC(2026, 6, 15)

const RESERVES = {
  quoteDecimals: 6,
  virtualSolReserves: 30_000_000_000,
  virtualTokenReserves: 1_000_000_000,
  realSolReserves: 2_420_000_000,
  realTokenReserves: 4_000_000,
} as const

test('the pool price is the published one, else reserves by the rule of the venue', (t) => {
  const price = (changes: Partial<Swap>) => poolPrice({ ...SWAP, ...RESERVES, ...changes })
  // Venue 1: 30 SOL over 1,000 tokens, virtual.
  t.is(price({ dex: 1 }), 0.03)
  // Every other venue: 2.42 SOL over 4 tokens, real.
  for (const dex of [2, 3, 4, 5, 6, 7, 8, 9, 10] as DexId[]) t.is(price({ dex }), 0.605)
  for (const dex of [1, 2, 7, 10] as DexId[]) t.is(price({ dex, poolPrice: 0.5 }), 0.5)
  t.is(price({ dex: 7, poolPrice: 0 }), 0)
  // No token reserve: 0, as venue 10 always has it.
  t.is(price({ dex: 10, realSolReserves: 0, realTokenReserves: 0 }), 0)
  t.is(price({ dex: 3, realTokenReserves: 0 }), 0)
  t.is(price({ dex: 1, virtualTokenReserves: 0 }), 0)
  // The decimals of the row: 4,000,000 units of 9 decimals are 0.004 tokens.
  t.is(price({ dex: 3, quoteDecimals: 9 }), 2.42 / 0.004)
})

test('the corrected price has 17.58 SOL more where venue 2 migrated from the date on', (t) => {
  const swap = { ...SWAP, ...RESERVES, dex: 2 as const }
  // (2.42 + 17.58) / 4.
  t.is(correctedPoolPrice(swap, CORRECTED_FROM), 5)
  t.is(correctedPoolPrice(swap, CORRECTED_FROM + 1), 5)
  t.is(correctedPoolPrice(swap, CORRECTED_FROM - 1), 0.605)
  t.is(correctedPoolPrice(swap, undefined), 0.605)
  // Also where the event published a price; without the correction that one counts.
  t.is(correctedPoolPrice({ ...swap, poolPrice: 0.7 }, CORRECTED_FROM), 5)
  t.is(correctedPoolPrice({ ...swap, poolPrice: 0.7 }, CORRECTED_FROM - 1), 0.7)
  t.is(correctedPoolPrice({ ...swap, realTokenReserves: 0 }, CORRECTED_FROM), 0)
  t.is(correctedPoolPrice({ ...swap, dex: 3 }, CORRECTED_FROM), 0.605)
})

test('the corrected price has the SOL that the swap states instead of 17.58', (t) => {
  const swap = { ...SWAP, ...RESERVES, dex: 2 as const, virtualQuoteReserves: 5_580_000_000 }
  for (const migratedAtMs of [CORRECTED_FROM, CORRECTED_FROM - 1, undefined]) {
    // (2.42 + 5.58) / 4.
    t.is(correctedPoolPrice(swap, migratedAtMs), 2)
    t.is(correctedPoolPrice({ ...swap, poolPrice: 0.7 }, migratedAtMs), 2)
    t.is(correctedPoolPrice({ ...swap, virtualQuoteReserves: 0 }, migratedAtMs), 0.605)
    t.is(correctedPoolPrice({ ...swap, dex: 3 }, migratedAtMs), 0.605)
  }
})

/** Impacts of swaps that are folded one after the other, pool events between them. */
function fold(...steps: (Swap | PoolEvent)[]) {
  const state = emptyPool()
  const impacts = steps.flatMap((step) => {
    if ('event' in step) {
      applyPoolEvent(state, step)
      return []
    }
    return [applySwap(state, step).priceImpactBps]
  })
  return { state, impacts }
}

// Every swap of swapAt is executed at 1 SOL a token: against 0.8 that is +2500, against 0.5 +10000.

test('a swap is measured by the price that the one before it left', (t) => {
  const first = swapAt(1, { priceAfter: 0.8 })
  t.deepEqual(fold(first, swapAt(2)).impacts, [null, 2500])
  // The published price of the swap itself comes first, also for the first swap of a pool.
  const own = swapAt(2, { priceBefore: 0.5 })
  t.deepEqual(fold(first, own).impacts, [null, 10_000])
  t.deepEqual(fold(own).impacts, [10_000])
  // A published price that is no reference gives null: no other price is used.
  t.deepEqual(fold(first, swapAt(2, { priceBefore: 0 })).impacts, [null, null])
})

test('dust and trades of the agent leave a price too', (t) => {
  const first = swapAt(1, { priceAfter: 0.5 })
  const dust = swapAt(2, { solAmount: 1, priceAfter: 0.8 })
  const agent = swapAt(3, { agentTrade: 2, priceAfter: 0.5 })
  t.deepEqual(fold(first, dust, swapAt(4)).impacts, [null, null, 2500])
  t.deepEqual(fold(first, agent, swapAt(4)).impacts, [null, null, 10_000])
})

test('a swap after one without a published price has no reference', (t) => {
  const first = swapAt(1, { priceAfter: 0.8 })
  t.deepEqual(fold(first, swapAt(2), swapAt(3)).impacts, [null, 2500, null])
  // One with a price before and none after neither.
  t.deepEqual(fold(first, swapAt(2, { priceBefore: 0.5 }), swapAt(3)).impacts, [null, 10_000, null])
})

test('a change of liquidity between two swaps removes the reference, both ends included', (t) => {
  const first = swapAt(2, { blockTxIndex: 5, ixIndex: 5, priceAfter: 0.8 })
  const second = swapAt(4, { blockTxIndex: 5, ixIndex: 5 })
  const impactWith = (...between: PoolEvent[]) => fold(first, ...between, second).impacts[1]
  const at = (slot: number, blockTxIndex: number, ixIndex: number) =>
    liquidityAt(slot, { blockTxIndex, ixIndex })
  t.is(impactWith(), 2500)
  t.is(impactWith(at(3, 0, 0)), null)
  t.is(impactWith(liquidityAt(3, { event: 'liquidity_removed' })), null)
  // An event at the position of either swap lies between them; one instruction outside does not.
  t.is(impactWith(at(2, 5, 5)), null)
  t.is(impactWith(at(4, 5, 5)), null)
  t.is(impactWith(at(2, 5, 4)), 2500)
  t.is(impactWith(at(4, 5, 6)), 2500)
  t.is(impactWith(at(2, 4, 9)), 2500)
  t.is(impactWith(at(4, 6, 0)), 2500)
  // For any venue in the event.
  t.is(impactWith(liquidityAt(3, { dex: 4 })), null)
  // Other events move no liquidity.
  for (const event of ['created', 'migrated'] as const)
    t.is(impactWith(liquidityAt(3, { event })), 2500)
})

test('an early change of liquidity is stored for the pair of swaps around it', (t) => {
  const swaps = [1, 2, 3, 4].map((slot) => swapAt(slot, { priceAfter: 0.8 }))
  // Before any swap, for between the third and the fourth.
  t.deepEqual(fold(liquidityAt(4), ...swaps).impacts, [null, 2500, 2500, null])
  // Before the first one it lies between none.
  t.deepEqual(fold(liquidityAt(0), ...swaps).impacts, [null, 2500, 2500, 2500])
  // An event at the position of a swap separates that swap from both of its neighbours.
  t.deepEqual(fold(liquidityAt(2), ...swaps).impacts, [null, null, null, 2500])
})

test('drops liquidity from before the newest swap', (t) => {
  const { state } = fold(liquidityAt(1), liquidityAt(2), liquidityAt(3), swapAt(2))
  t.deepEqual(state.liquidity, [positionAt(2), positionAt(3)])
})

test('orders swaps of one position by the whole canonical order', (t) => {
  // Buys first: the sell is measured by the buy.
  const buy = swapAt(1, { priceAfter: 0.8 })
  const sell = swapAt(1, { isBuy: false, priceAfter: 0.5 })
  t.deepEqual(fold(buy, sell).impacts, [null, -2500])
  const state = emptyPool()
  applySwap(state, sell)
  t.true(applySwap(state, buy).isLate)
})

test('an older swap is late: it counts, and does not change the newest', (t) => {
  const state = emptyPool()
  t.false(applySwap(state, swapAt(5, { priceAfter: 0.8 })).isLate)
  const before = structuredClone(state.last)
  const late = applySwap(state, swapAt(4, { priceAfter: 0.5 }))
  t.true(late.isLate)
  t.is(late.priceImpactBps, null)
  t.is(applySwap(state, swapAt(3, { priceBefore: 0.8 })).priceImpactBps, 2500)
  t.is(state.swapCount, 3)
  t.deepEqual(state.last, before)
  t.is(applySwap(state, swapAt(6)).priceImpactBps, 2500)
})

test('a change of liquidity at or before the newest swap is late, and at its position it is also retained', (t) => {
  const state = emptyPool()
  t.is(applyPoolEvent(state, liquidityAt(9)), 'recorded')
  applySwap(state, swapAt(5))
  t.is(applyPoolEvent(state, liquidityAt(4)), 'late liquidity change')
  t.is(applyPoolEvent(state, liquidityAt(5)), 'late liquidity change')
  t.is(applyPoolEvent(state, liquidityAt(6)), 'recorded')
  t.is(applyPoolEvent(state, liquidityAt(4, { event: 'created' })), 'recorded')
  t.deepEqual(state.liquidity, [positionAt(9), positionAt(5), positionAt(6)])
})

const migrated = (slot: number, timestamp: number, changes: Partial<PoolEvent> = {}) =>
  liquidityAt(slot, { event: 'migrated', dex: 2, timestamp, fromPair: 'curve', ...changes })

test('a migration queues a repair when it corrects stored swaps', (t) => {
  const swap = { ...SWAP, ...RESERVES, dex: 2 as const }
  const effectAfter = (swaps: Swap[], ...events: PoolEvent[]) => {
    const state = emptyPool()
    for (const each of swaps) applySwap(state, each)
    return events.map((event) => applyPoolEvent(state, event)).join()
  }
  t.is(effectAfter([swap], migrated(1, CORRECTED_FROM)), 'migration changed')
  // Nothing stored, or nothing corrected: no repair.
  t.is(effectAfter([], migrated(1, CORRECTED_FROM)), 'recorded')
  t.is(effectAfter([swap], migrated(1, CORRECTED_FROM - 1)), 'recorded')
  // To another venue: no matter.
  t.is(effectAfter([swap], migrated(1, CORRECTED_FROM, { dex: 3 })), 'recorded')
  // A second one counts only if it is earlier: the earlier position wins.
  const later = migrated(2, CORRECTED_FROM)
  t.is(effectAfter([swap], migrated(1, CORRECTED_FROM - 1), later), 'recorded,recorded')
  const earlier = migrated(1, CORRECTED_FROM - 1)
  t.is(effectAfter([swap], later, earlier), 'migration changed,migration changed')
})

test('the migration corrects swaps of any time, also earlier ones', (t) => {
  const state = emptyPool()
  applyPoolEvent(state, migrated(900, CORRECTED_FROM))
  applySwap(state, { ...SWAP, ...RESERVES, dex: 2, slot: 1, timestamp: 0 })
  t.is(state.last?.correctedPoolPrice, 5)
})

test('the deciding migration does not depend on the order of arrival', (t) => {
  const events = fc.array(
    fc.record({ slot: fc.nat(2), ixIndex: fc.nat(1), late: fc.boolean(), signature: fc.nat(20) }),
    { minLength: 1, maxLength: 6 },
  )
  fc.assert(
    fc.property(events, (drawn) => {
      const all = drawn.map(({ slot, ixIndex, late, signature }) =>
        migrated(slot, CORRECTED_FROM - (late ? 0 : 1), { ixIndex, signature: `${signature}` }),
      )
      const distinct = all.filter(
        (event, index) => all.findIndex((each) => each.signature === event.signature) === index,
      )
      const [one, other] = [emptyPool(), emptyPool()]
      for (const event of distinct) applyPoolEvent(one, event)
      for (const event of distinct.toReversed()) applyPoolEvent(other, event)
      t.deepEqual(one, other)
      const first = distinct.toSorted(
        (a, b) => a.slot - b.slot || a.ixIndex - b.ixIndex || (a.signature < b.signature ? -1 : 1),
      )[0]
      t.is(one.migration?.signature, first?.signature)
    }),
  )
})

test('a position lies between two when it is outside neither of them', (t) => {
  const [from, to] = [positionAt(2, 3, 4), positionAt(2, 5, 0)]
  for (const inside of [from, positionAt(2, 3, 5), positionAt(2, 4, 0), to]) {
    t.true(liesBetween(inside, from, to))
  }
  for (const outside of [
    positionAt(1, 9, 9),
    positionAt(2, 3, 3),
    positionAt(2, 5, 1),
    positionAt(3),
  ]) {
    t.false(liesBetween(outside, from, to))
  }
})

const drawnSwaps = fc
  .uniqueArray(
    fc
      .record({
        slot: fc.nat(5),
        ixIndex: fc.nat(1),
        isBuy: fc.boolean(),
        dex: fc.constantFrom<DexId[]>(1, 2, 3, 7, 10),
        signature: fc.constantFrom('a', 'b', 'c'),
        solAmount: fc.constantFrom(1, 1_000_000, 2_000_000),
        priceAfter: fc.constantFrom(undefined, 0, 0.5, 0.8),
        priceBefore: fc.constantFrom(undefined, 0.7),
      })
      .map(({ slot, priceAfter, priceBefore, ...rest }) =>
        swapAt(slot, {
          ...rest,
          ...(priceAfter === undefined ? {} : { priceAfter }),
          ...(priceBefore === undefined ? {} : { priceBefore }),
        }),
      ),
    { maxLength: 15, comparator: (a, b) => compareSwaps(a, b) === 0 },
  )
  .map((swaps) => swaps.sort(compareSwaps))
const drawnEvents = fc.array(
  fc
    .record({ slot: fc.nat(5), ixIndex: fc.nat(1) })
    .map(({ slot, ixIndex }) => liquidityAt(slot, { ixIndex })),
  { maxLength: 4 },
)

test('folding a history in two batches is folding it in one', (t) => {
  fc.assert(
    fc.property(drawnSwaps, drawnEvents, fc.nat(15), (swaps, events, cut) => {
      const run = (state: PoolState, batch: readonly Swap[]) =>
        batch.map((swap) => {
          const { poolPrice: price, priceImpactBps, isLate } = applySwap(state, swap)
          return { price, priceImpactBps, isLate }
        })
      const [one, two] = [emptyPool(), emptyPool()]
      for (const state of [one, two]) for (const event of events) applyPoolEvent(state, event)
      const whole = run(one, swaps)
      // Between two batches the state is stored, and past changes are dropped.
      const first = run(two, swaps.slice(0, cut))
      const second = run(structuredClone(two), swaps.slice(cut))
      t.deepEqual([...first, ...second], whole)
      t.true(whole.every(({ isLate }) => !isLate))
      run(two, swaps.slice(cut))
      t.deepEqual(two, one)
    }),
    { numRuns: 500 },
  )
})
