/** Slots as batches: bounded, with cursors inside a slot, notices once, counts, and the choice of venues. */
import test from 'ava'
import type { Decoded } from '../../../chain/decode.ts'
import {
  batchesOf,
  countSlot,
  noChainCounts,
  ofVenues,
  readChainCursor,
  resumeAfter,
} from '../../../chain/sources/batch.ts'
import type { SlotBlock } from '../../../chain/sources/blocks/slot-block.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import type { DexId } from '../../../domain/venue.ts'
import { SOURCE_BATCH_EVENTS_MAX, SourceError } from '../../../streams/sources/source.ts'
import { MINT, NOW_MS, POOL, SIGNATURE, swapEvent } from '../../support/events/sample-event.ts'

const SLOT = 400
const FULL: SlotBlock = { slot: SLOT, block: { slot: SLOT, timestamp: NOW_MS, transactions: [] } }
const SKIPPED: SlotBlock = { slot: SLOT, block: undefined }

const swapsOf = (count: number): MarketEvent[] =>
  Array.from({ length: count }, (_, index) => swapEvent({ ixIndex: index }))

const decodedOf = (events: MarketEvent[], changes: Partial<Decoded> = {}): Decoded => ({
  events,
  rejects: [],
  mismatches: [],
  transactionCount: 3,
  failedCount: 1,
  incomplete: [],
  warnings: [],
  unreadableCount: 0,
  ...changes,
})

const REJECTED = decodedOf(swapsOf(1), {
  rejects: [
    { reason: 'no_sol_side', kind: 'swap', dex: 4, ixIndex: 0, signature: SIGNATURE },
    { reason: 'no_vault', kind: 'swap', dex: 3, ixIndex: 2, signature: SIGNATURE },
  ],
  mismatches: [{ dex: 1, signature: SIGNATURE, vault: POOL, expected: 5n, actual: -2n }],
})

test('cuts a slot into bounded batches with cursors inside it', (t) => {
  const events = swapsOf(2 * SOURCE_BATCH_EVENTS_MAX + 1)
  const batches = batchesOf(FULL, decodedOf(events), undefined)
  t.deepEqual(
    batches.map(({ cursor, units, events: { length } }) => [cursor, units, length]),
    [
      ['400:2000', 0, 2000],
      ['400:4000', 0, 2000],
      ['400', 1, 1],
    ],
  )
  t.deepEqual(
    batches.flatMap((batch) => batch.events),
    events,
  )
  const whole = batchesOf(FULL, decodedOf(swapsOf(SOURCE_BATCH_EVENTS_MAX)), undefined)
  t.deepEqual(
    whole.map(({ cursor }) => cursor),
    ['400'],
  )
})

test('resumes after each cursor with exactly the events that follow it', (t) => {
  const decoded = decodedOf(swapsOf(2 * SOURCE_BATCH_EVENTS_MAX + 1))
  const batches = batchesOf(FULL, decoded, undefined)
  for (const [index, { cursor }] of batches.slice(0, -1).entries()) {
    const { slot, events } = resumeAfter(readChainCursor(cursor, 'a test'))
    t.is(slot, SLOT)
    t.deepEqual(batchesOf(FULL, decoded, undefined, events), batches.slice(index + 1))
  }
  t.deepEqual(resumeAfter(readChainCursor('400', 'a test')), { slot: 401, events: 0 })
  const link = { blockhash: POOL, parentSlot: SLOT - 1, parentBlockhash: MINT }
  const [first] = batchesOf({ ...FULL, link }, decoded, undefined)
  const beginning = { slot: SLOT, events: SOURCE_BATCH_EVENTS_MAX, blockhash: POOL }
  t.deepEqual(resumeAfter(readChainCursor(first?.cursor ?? '', 'a test')), beginning)
  for (const wrong of ['', '-1', '4:', ':4', '4:5:6', '4 ', '1e3', '12345678901234567']) {
    t.throws(() => readChainCursor(wrong, 'a test'), {
      instanceOf: SourceError,
      message: `cursor "${wrong}" of a test: expected SLOT or SLOT:EVENTS:BLOCKHASH, as an earlier run reported it`,
    })
  }
})

test('advances over a skipped slot and a block without swaps', (t) => {
  const before = { slot: 399, timestampMs: NOW_MS - 400 }
  const end = { cursor: '400', endsSlot: 400, units: 1 }
  const skipped = { events: [], ...end, newest: before, notices: [] }
  t.deepEqual(batchesOf(SKIPPED, undefined, before), [skipped])
  const newest = { slot: SLOT, timestampMs: NOW_MS }
  t.deepEqual(batchesOf(FULL, decodedOf([]), before), [{ ...skipped, newest }])
})

test('reports each reject and mismatch with its place, and no pool without SOL', (t) => {
  const [batch] = batchesOf(FULL, REJECTED, undefined)
  t.deepEqual(batch?.notices, [
    {
      kind: 'refused',
      at: `400 venue_3 ${SIGNATURE}`,
      reasons: [{ field: 'swap', value: '2', reason: 'no_vault' }],
    },
    {
      kind: 'mismatch',
      at: `400 venue_1 ${SIGNATURE}`,
      reasons: [{ field: 'vault', value: POOL, reason: 'moved by -2, expected 5' }],
    },
  ])
})

test('counts slots, events, rejects by reason and mismatches by venue', (t) => {
  const counts = noChainCounts()
  countSlot(counts, REJECTED)
  countSlot(counts, REJECTED)
  countSlot(counts, undefined)
  t.deepEqual(counts, {
    slots: 3,
    skippedSlots: 1,
    gapSlots: 0,
    transactions: 6,
    failedTransactions: 2,
    swaps: 2,
    poolEvents: 0,
    tokens: 0,
    retractions: 0,
    rejects: new Map([
      ['no_sol_side', 2],
      ['no_vault', 2],
    ]),
    mismatches: new Map<DexId, number>([[1, 2]]),
  })
})

test('leaves the events of some venues, with the token lines of their pools', (t) => {
  const token: MarketEvent = { kind: 'token', token: { tokenAddress: MINT, slot: SLOT } }
  const other: MarketEvent = { kind: 'token', token: { tokenAddress: POOL, slot: SLOT } }
  const own = swapEvent({ dex: 3 })
  const decoded = decodedOf([token, other, own, swapEvent({ dex: 4 })], REJECTED)
  decoded.events.splice(0, decoded.events.length, token, other, own, swapEvent({ dex: 4 }))
  const left = ofVenues(decoded, new Set<DexId>([3]))
  t.deepEqual(left.events, [token, own])
  t.deepEqual(
    left.rejects.map(({ dex }) => dex),
    [3],
  )
  t.deepEqual(left.mismatches, [])
})
