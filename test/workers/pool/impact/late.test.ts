/**
 * Late arrivals against a naive model: the rules of docs/semantics.md#price-before-a-trade, applied to all events. The fold of the actor
 * (fold.ts, late.ts) sees the same in any order and batches, with a sorted array for the table of swaps, which answers
 * as list_neighbours.sql and find_liquidity_between.sql do.
 */
import test from 'ava'
import fc from 'fast-check'
import { type Int64, int64 } from '../../../../domain/amount.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { ChainPosition, Swap } from '../../../../domain/events/swap.ts'
import { foldPool } from '../../../../workers/pool/fold.ts'
import {
  type AdjacentPair,
  adjacentPairs,
  type LateProbe,
  probesOf,
  type StoredNeighbour,
  settlePair,
} from '../../../../workers/pool/impact/late.ts'
import { lastSwap } from '../../../../workers/pool/pool.ts'
import type { PoolState } from '../../../../workers/pool/pool-state.ts'
import { swapIdentity } from '../../../support/market/swap-identity.ts'
import { emptyPool, liquidityAt, swapAt } from '../../../support/workers/sample-pool.ts'

// The naive model.

type Impact = Int64 | null

/** Less, equal or greater by the first of the keys that differs. */
function byKeys(a: readonly (string | Int64)[], b: readonly (string | Int64)[]): number {
  const at = a.findIndex((key, index) => key !== b[index])
  return at === -1 ? 0 : a[at]! < b[at]! ? -1 : 1
}
const positionKeys = (position: ChainPosition) => [
  position.slot,
  position.blockTxIndex,
  position.ixIndex,
]
const orderKeys = (swap: Swap) => [
  ...positionKeys(swap),
  swap.dex,
  swap.isBuy ? 0 : 1,
  swap.signature,
  swap.pairAddress,
  swap.user,
  swap.solAmount,
  swap.tokenAmount,
]
const inOrder = (swaps: readonly Swap[]) =>
  swaps.toSorted((a, b) => byKeys(orderKeys(a), orderKeys(b)))

/** Rules 2, 3 and 7 of section 1 for a token of 9 decimals. */
function naiveImpact(swap: Swap, reference: number | undefined): Impact {
  if (swap.agentTrade === 2) return null
  if (swap.solAmount < 10_000 || swap.tokenAmount < 10_000) return null
  if (reference === undefined || !(reference > 0)) return null
  const executed = Number(swap.solAmount) / Number(swap.tokenAmount)
  const unrounded = (swap.isBuy ? 1 : -1) * (executed / reference - 1) * 10_000
  const nearest = Math.floor(Math.abs(unrounded) + 0.5)
  if (nearest === 0) return unrounded < -1e-7 ? -1 : 1
  return int64(BigInt(unrounded < 0 ? -nearest : nearest))
}

function naiveImpacts(swaps: readonly Swap[], events: readonly PoolEvent[]): Map<string, Impact> {
  const line = inOrder(swaps)
  const impacts = line.map((swap, index): [string, Impact] => {
    const before = line[index - 1]
    if (swap.priceBefore !== undefined) {
      return [swapIdentity(swap), naiveImpact(swap, swap.priceBefore)]
    }
    const isParted = events.some(
      (event) =>
        before !== undefined &&
        event.event.startsWith('liquidity_') &&
        byKeys(positionKeys(event), positionKeys(before)) >= 0 &&
        byKeys(positionKeys(event), positionKeys(swap)) <= 0,
    )
    return [swapIdentity(swap), naiveImpact(swap, isParted ? undefined : before?.priceAfter)]
  })
  return new Map(impacts)
}

// The driver: the actor's fold with arrays for tables.

class Tables {
  /** In canonical order. */
  swaps: { swap: Swap; priceImpactBps: Impact }[] = []
  events: PoolEvent[] = []

  /** Same as list_neighbours.sql: below with ties, same, above with ties. */
  neighbours({ chainPosition }: LateProbe): StoredNeighbour[] {
    const toPosition = (other: ChainPosition) =>
      byKeys(positionKeys(other), positionKeys(chainPosition))
    const tiesOf = (found: Swap | undefined) =>
      this.swaps.filter(
        ({ swap }) => found !== undefined && byKeys(positionKeys(swap), positionKeys(found)) === 0,
      )
    const below = this.swaps.findLast(({ swap }) => toPosition(swap) < 0)?.swap
    const above = this.swaps.find(({ swap }) => toPosition(swap) > 0)?.swap
    return [
      ...tiesOf(below).map((row) => ({ ...row, side: 'below' as const })),
      ...this.swaps
        .filter(({ swap }) => toPosition(swap) === 0)
        .map((row) => ({ ...row, side: 'same' as const })),
      ...tiesOf(above).map((row) => ({ ...row, side: 'above' as const })),
    ]
  }

  /** Same as find_liquidity_between.sql. */
  isDisturbed({ before, after }: AdjacentPair): boolean {
    return this.events.some(
      (event) =>
        event.event.startsWith('liquidity_') &&
        byKeys(positionKeys(event), positionKeys(before)) >= 0 &&
        byKeys(positionKeys(event), positionKeys(after)) <= 0,
    )
  }

  /** Same as load_pools.sql. */
  state(): PoolState {
    const last = this.swaps.at(-1)?.swap
    const changes = this.events.filter((event) => event.event.startsWith('liquidity_'))
    const retained = changes.filter(
      (event) => last === undefined || byKeys(positionKeys(event), positionKeys(last)) >= 0,
    )
    return {
      ...emptyPool(),
      swapCount: this.swaps.length,
      firstSlot: this.swaps[0]?.swap.slot,
      last: last && lastSwap(last, undefined),
      liquidity: retained.map(({ slot, blockTxIndex, ixIndex }) => ({
        slot,
        blockTxIndex,
        ixIndex,
      })),
    }
  }

  /** One batch: folded, settled, written. */
  commit(state: PoolState, batch: readonly (Swap | PoolEvent)[]): void {
    const poolEvents = batch.filter((each): each is PoolEvent => 'event' in each)
    const swaps = batch.filter((each): each is Swap => !('event' in each))
    const bytes = new Uint8Array()
    const folded = foldPool({ state, swaps: swaps.map((swap) => ({ swap, bytes })), poolEvents })
    const late = folded.late === undefined ? [] : [folded.late]
    const neighbours = late.flatMap(probesOf).flatMap((probe) => this.neighbours(probe))
    const pairs = late.flatMap((arrivals) => adjacentPairs({ ...arrivals, neighbours }))
    const disturbed = pairs.map((pair) => this.isDisturbed(pair))
    for (const [index, pair] of pairs.entries()) {
      const update = settlePair(pair, disturbed[index] === true)
      if (update === undefined) continue
      const row = this.swaps.find(({ swap }) => swapIdentity(swap) === swapIdentity(update.swap))
      if (row === undefined) throw new Error('an update of a swap that is not stored')
      row.priceImpactBps = update.priceImpactBps
    }
    for (const { accepted } of folded.swaps) {
      this.swaps.push({ swap: accepted.swap, priceImpactBps: accepted.priceImpactBps })
    }
    this.swaps.sort((a, b) => byKeys(orderKeys(a.swap), orderKeys(b.swap)))
    this.events.push(...poolEvents)
  }

  impacts(): Map<string, Impact> {
    return new Map(this.swaps.map((row) => [swapIdentity(row.swap), row.priceImpactBps]))
  }
}

/** All batches; where `isReloaded` the pool's state is read from the tables first. */
function deliver(batches: readonly { batch: (Swap | PoolEvent)[]; isReloaded: boolean }[]) {
  const tables = new Tables()
  let state = emptyPool()
  for (const { batch, isReloaded } of batches) {
    if (isReloaded) state = tables.state()
    tables.commit(state, batch)
  }
  return { tables, state }
}

// Random histories of one pool: few positions, so that ties and neighbours are the rule.

const positions = { slot: fc.nat(4), blockTxIndex: fc.nat(1), ixIndex: fc.nat(1) }
const often = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, fc.constantFrom(usual, ...others))

const swaps = fc.uniqueArray(
  fc
    .record({
      ...positions,
      dex: often<7 | 9>(7, 9),
      isBuy: fc.boolean(),
      signature: fc.constantFrom('a', 'b', 'c'),
      user: often('u', 'v'),
      solAmount: fc.constantFrom<Int64[]>(9_999, 1_000_000, 1_000_049, 2n ** 60n),
      agentTrade: often(0, 2),
      priceAfter: fc.constantFrom(undefined, 0, 0.5, 0.8, 1, 1.0001),
      priceBefore: often<number | undefined>(undefined, 0, 0.7, 1),
    })
    .map(({ slot, priceAfter, priceBefore, ...rest }) =>
      swapAt(slot, {
        ...rest,
        ...(priceAfter === undefined ? {} : { priceAfter }),
        ...(priceBefore === undefined ? {} : { priceBefore }),
      }),
    ),
  { minLength: 1, maxLength: 14, selector: swapIdentity },
)
const poolEvents = fc.array(
  fc
    .record({
      ...positions,
      event: fc.constantFrom<PoolEvent['event'][]>(
        'liquidity_added',
        'liquidity_removed',
        'created',
      ),
    })
    .map(({ slot, ...rest }) => liquidityAt(slot, rest)),
  { maxLength: 5 },
)

/** The same swaps and events in a drawn order, cut into drawn batches. */
const deliveries = fc.tuple(swaps, poolEvents).chain(([allSwaps, allEvents]) => {
  const all = [...allSwaps, ...allEvents]
  const ranks = { minLength: all.length, maxLength: all.length }
  return fc
    .tuple(fc.array(fc.nat(), ranks), fc.array(fc.nat(3), ranks), fc.array(fc.boolean(), ranks))
    .map(([order, cuts, reloads]) => {
      const shuffled = all
        .map((each, index) => ({ each, rank: order[index]! }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ each }) => each)
      const batches: { batch: (Swap | PoolEvent)[]; isReloaded: boolean }[] = []
      for (const [index, each] of shuffled.entries()) {
        // A new batch for about every other event.
        if (index === 0 || cuts[index]! < 2)
          batches.push({ batch: [], isReloaded: reloads[index]! })
        batches.at(-1)!.batch.push(each)
      }
      return { allSwaps, allEvents, batches }
    })
})

test('any order and any batches end in the impacts of the naive model', (t) => {
  fc.assert(
    fc.property(deliveries, ({ allSwaps, allEvents, batches }) => {
      const { tables } = deliver(batches)
      t.deepEqual(
        new Map([...tables.impacts()].sort()),
        new Map([...naiveImpacts(allSwaps, allEvents)].sort()),
      )
    }),
    { numRuns: 1_500 },
  )
})

test('the state in memory equals the state in the tables', (t) => {
  fc.assert(
    fc.property(deliveries, ({ batches }) => {
      const { tables, state } = deliver(batches)
      const sorted = (locations: readonly ChainPosition[]) =>
        locations.toSorted((a, b) => byKeys(positionKeys(a), positionKeys(b)))
      const stored = tables.state()
      t.deepEqual(
        { ...state, liquidity: sorted(state.liquidity) },
        {
          ...stored,
          liquidity: sorted(stored.liquidity),
          // The effect of late swaps on prices is settled in the commit: see test/workers/pool/candles.test.ts.
          newestMs: state.newestMs,
          lastPrice: state.lastPrice,
        },
      )
    }),
    { numRuns: 500 },
  )
})

// Hand-computed. Every swap of swapAt is executed at 1: against 0.8 that is +2500, against 0.5 +10000.

function impactsOf(...batches: (Swap | PoolEvent)[][]): Impact[] {
  const { tables } = deliver(batches.map((batch) => ({ batch, isReloaded: false })))
  return tables.swaps.map((row) => row.priceImpactBps)
}

test('a late swap is measured by the one before it and measures the one after it', (t) => {
  const [a, b, c] = [1, 3, 5].map((slot) => swapAt(slot, { priceAfter: 0.8 })) as [Swap, Swap, Swap]
  const late = swapAt(2, { priceAfter: 0.5 })
  t.deepEqual(impactsOf([a, b, c]), [null, 2500, 2500])
  t.deepEqual(impactsOf([a, b, c], [late]), [null, 2500, 10_000, 2500])
  // After one without a price the next has no reference.
  t.deepEqual(impactsOf([a, b, c], [swapAt(2)]), [null, 2500, null, 2500])
  // One before all others: it has none, and gives the first one.
  t.deepEqual(impactsOf([a, b, c], [swapAt(0, { priceAfter: 0.5 })]), [null, 10_000, 2500, 2500])
})

test('two late swaps side by side are measured by each other', (t) => {
  const [a, b] = [1, 9].map((slot) => swapAt(slot, { priceAfter: 0.8 })) as [Swap, Swap]
  const late = [swapAt(5, { priceAfter: 1 }), swapAt(4, { priceAfter: 0.5 })]
  // 4 by a's 0.8, 5 by 4's 0.5, b by 5's 1: exactly 0, which is stored as +1.
  t.deepEqual(impactsOf([a, b], late), [null, 2500, 10_000, 1])
  t.deepEqual(impactsOf([b], [...late, a]), [null, 2500, 10_000, 1])
})

test('a late change of liquidity removes the reference of only the swap after it', (t) => {
  const line = [1, 3, 5].map((slot) => swapAt(slot, { priceAfter: 0.8 }))
  t.deepEqual(impactsOf(line, [liquidityAt(4)]), [null, 2500, null])
  // An event at the position of a swap lies before and after it.
  t.deepEqual(impactsOf(line, [liquidityAt(3)]), [null, null, null])
  // Before the first and after the last it lies between no swaps.
  t.deepEqual(impactsOf(line, [liquidityAt(0)], [liquidityAt(6)]), [null, 2500, 2500])
  // The one after the last is stored for the next swap.
  t.deepEqual(impactsOf(line, [liquidityAt(6)], [swapAt(7)]), [null, 2500, 2500, null])
})

test('a late swap between a change of liquidity and the swap after it comes after the change', (t) => {
  const [a, b] = [1, 9].map((slot) => swapAt(slot, { priceAfter: 0.8 })) as [Swap, Swap]
  const late = swapAt(5, { priceAfter: 0.5 })
  t.deepEqual(impactsOf([a, b, liquidityAt(4)]), [null, null])
  // The change parts the late one from a; b is measured by the late one again.
  t.deepEqual(impactsOf([a, b, liquidityAt(4)], [late]), [null, null, 10_000])
  t.deepEqual(impactsOf([a, b], [late, liquidityAt(4)]), [null, null, 10_000])
})
