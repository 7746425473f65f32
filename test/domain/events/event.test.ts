/** The order of a batch: token lines, then by position, pool events before the swaps of their position. */
import test from 'ava'
import fc from 'fast-check'
import { compareEvents, type Event } from '../../../domain/events/event.ts'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import { compareSwaps } from '../../../domain/events/swap.ts'
import { MINT, NOW_MS, POOL, SIGNATURE, swapEvent } from '../../support/events/sample-event.ts'

const token: Event = { kind: 'token', token: { tokenAddress: MINT, slot: 999 } }
const poolEvent = (changes: Partial<PoolEvent> = {}): Event => ({
  kind: 'pool_event',
  poolEvent: {
    event: 'liquidity_added',
    signature: SIGNATURE,
    slot: 400,
    timestamp: NOW_MS,
    pairAddress: POOL,
    tokenAddress: MINT,
    dex: 1,
    blockTxIndex: 0,
    ixIndex: 0,
    ...changes,
  },
})

test('each rule of the order puts the first before the second', (t) => {
  const pairs: [Event, Event][] = [
    // Token lines first, of any slot.
    [token, swapEvent({ slot: 0 })],
    [token, poolEvent({ slot: 0 })],
    // At one position the pool event first.
    [poolEvent(), swapEvent()],
    // Otherwise by position: slot, block_tx_index, ix_index.
    [swapEvent({ slot: 399 }), poolEvent()],
    [swapEvent({ ixIndex: 1 }), poolEvent({ blockTxIndex: 1 })],
    [poolEvent({ ixIndex: 1 }), swapEvent({ ixIndex: 2 })],
    [poolEvent({ slot: 1 }), poolEvent({ slot: 2 })],
    // Two swaps by canonical order, to its last tie-break.
    [swapEvent({ tokenAmount: 1 }), swapEvent({ tokenAmount: 2 })],
  ]
  for (const [first, second] of pairs) {
    t.true(compareEvents(first, second) < 0)
    t.true(compareEvents(second, first) > 0)
  }
})

test('token lines, and pool events of one position, stay in the order of arrival', (t) => {
  t.is(compareEvents(token, token), 0)
  t.is(compareEvents(poolEvent(), poolEvent({ event: 'created', signature: 'other' })), 0)
})

const small = fc.nat(1)
const events: fc.Arbitrary<Event> = fc.oneof(
  fc.constant(token),
  fc.record({ slot: small, blockTxIndex: small, ixIndex: small }).map(poolEvent),
  fc
    .record({ slot: small, blockTxIndex: small, ixIndex: small, isBuy: fc.boolean() })
    .map(swapEvent),
)

test('the order of a batch is consistent over any three events', (t) => {
  fc.assert(
    fc.property(events, events, events, (a, b, c) => {
      const [ab, bc, ac] = [compareEvents(a, b), compareEvents(b, c), compareEvents(a, c)]
      t.is(Math.sign(ab), 0 - Math.sign(compareEvents(b, a)))
      if (ab <= 0 && bc <= 0) t.true(ac <= 0)
      if (ab === 0 && bc === 0) t.is(ac, 0)
      if (a.kind === 'swap' && b.kind === 'swap') t.is(ab, compareSwaps(a.swap, b.swap))
    }),
    { numRuns: 1_000 },
  )
})
