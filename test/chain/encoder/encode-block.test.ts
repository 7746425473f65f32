// Simulate, encode, decode: the same lines, for all venues and every layout.

import test, { type ExecutionContext } from 'ava'
import { type Decoded, decodeBlock } from '../../../chain/decode.ts'
import { type EncodeOptions, type EventSlot, encodeBlock } from '../../../chain/encode-block.ts'
import { slotsOf } from '../../../chain/encode-slots.ts'
import { AGES, type TransactionForm } from '../../../chain/encoder/form.ts'
import { signatureOf } from '../../../chain/encoder/keys.ts'
import { readGeyserBlock } from '../../../chain/forms/geyser.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { VENUES } from '../../../domain/venue.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { asGeyser, asJsonParsed } from '../../support/chain/forms.ts'
import { encodeSlot } from '../../support/chain/stated-events.ts'
import { onAllVenues } from '../../support/market/all-venues.ts'

/** From here on every line has the indexes of its transaction. */
const FROM_MS = Date.UTC(2026, 9, 1)
/** Relative: a price is a double of a root of 64 fraction bits. */
const PRICE_TOLERANCE = 1e-12

type Line = Record<string, unknown>
const lineOf = (event: MarketEvent): Line => JSON.parse(printEvent(event))

const market = (seed: number, swaps: number): MarketEvent[] => [
  ...onAllVenues(simulate({ seed, swaps, fromMs: FROM_MS, swapsPerSlot: 30 })),
]

function decodeAnswer(answer: unknown, slot: number): Decoded {
  const block = readRpcBlock(JSON.parse(JSON.stringify(answer)), slot)
  if (block === undefined) throw new Error(`slot ${slot}: expected a block`)
  return decodeBlock(block)
}

/** Whether both are the same, prices as near as doubles are; else the first difference. */
function differenceOf(actual: Line | undefined, expected: Line | undefined): string | undefined {
  if (actual === undefined || expected === undefined) {
    return `decoded ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`
  }
  for (const field of new Set([...Object.keys(actual), ...Object.keys(expected)])) {
    const [one, other] = [actual[field], expected[field]]
    if (one === other) continue
    const isPrice = field.startsWith('price_')
    if (isPrice && Math.abs(Number(one) / Number(other) - 1) < PRICE_TOLERANCE) continue
    return `${field} ${one}, expected ${other} in ${JSON.stringify(expected)}`
  }
  return undefined
}

function assertLines(
  t: ExecutionContext,
  actual: readonly MarketEvent[],
  expected: readonly MarketEvent[],
) {
  const [decoded, stated] = [actual.map(lineOf), expected.map(lineOf)]
  for (let at = 0; at < Math.max(decoded.length, stated.length); at++) {
    const difference = differenceOf(decoded[at], stated[at])
    if (difference !== undefined) {
      t.fail(difference)
      return
    }
  }
}

type Seen = { swaps: Map<number, number>; poolEvents: Set<string>; tokens: number; failed: number }

/** Encodes and decodes a market, and compares line by line. */
function assertRoundTrip(
  t: ExecutionContext,
  slots: Iterable<EventSlot>,
  options: EncodeOptions = {},
): Seen {
  const seen: Seen = { swaps: new Map(), poolEvents: new Set(), tokens: 0, failed: 0 }
  for (const slot of slots) {
    const { block, stated } = encodeSlot(slot, options)
    const { events, rejects, mismatches, unreadableCount, failedCount } = decodeAnswer(
      block,
      slot.slot,
    )
    assertLines(t, events, stated)
    const failures = [...rejects, ...mismatches]
    if (failures.length + unreadableCount > 0) t.deepEqual(failures, [], `slot ${slot.slot}`)
    seen.failed += failedCount
    for (const event of events) {
      if (event.kind === 'token') seen.tokens++
      else if (event.kind === 'pool_event') {
        seen.poolEvents.add(`${event.poolEvent.dex} ${event.poolEvent.event}`)
      } else seen.swaps.set(event.swap.dex, (seen.swaps.get(event.swap.dex) ?? 0) + 1)
    }
  }
  return seen
}

for (const age of AGES) {
  test(`decodes the market that was encoded with the layouts of age ${age}`, (t) => {
    const seen = assertRoundTrip(t, slotsOf(market(age + 1, 2_500)), { form: { age } })
    for (const { dex } of VENUES) t.true((seen.swaps.get(dex) ?? 0) > 10, `venue ${dex}`)
    t.true(seen.tokens > 20)
    t.true(seen.failed > 20)
  })
}

test('decodes the pool events of every venue', (t) => {
  const pools = market(11, 40_000).filter(({ kind }) => kind !== 'swap')
  const seen = assertRoundTrip(t, slotsOf(pools), { isBare: true })
  for (const { dex } of VENUES) t.true(seen.poolEvents.has(`${dex} created`), `venue ${dex}`)
  const changing = VENUES.filter(({ kind }) => /^constant_product$|^concentrated_/.test(kind))
  t.true(changing.length >= 7)
  for (const { dex } of changing) {
    t.true(seen.poolEvents.has(`${dex} liquidity_added`), `venue ${dex}`)
    t.true(seen.poolEvents.has(`${dex} liquidity_removed`), `venue ${dex}`)
  }
  t.true(seen.poolEvents.has('2 migrated'))
})

/** Forms of transactions by what they are; the rest is drawn. */
const FORMS: Readonly<Record<string, Partial<TransactionForm>>> = {
  'whose logs end before the first event': { isLogCut: true },
  'of legacy transactions': { version: 'legacy' },
  'of transactions with lookup tables': { version: 0, hasLookups: true },
  'of transactions of version 1': { version: 1 },
  'of a router that trades for its user': { isRouted: true, isRouterTrader: true },
  'of a router, without the depth of inner instructions': { isRouted: true, hasHeights: false },
  'that another wallet pays for': { hasOtherPayer: true },
  'with referrers': { isReferred: true },
  'with plain transfers': { checksTransfers: false, namesFees: false },
}

for (const [name, form] of Object.entries(FORMS)) {
  test(`decodes a market ${name}`, (t) => {
    const seen = assertRoundTrip(t, slotsOf(market(21, 1_000)), { form, isBare: true })
    for (const { dex } of VENUES) t.true((seen.swaps.get(dex) ?? 0) > 3, `venue ${dex}`)
  })
}

test('decodes sells for nothing without their events', (t) => {
  const isForNothing = (event: MarketEvent): boolean =>
    event.kind === 'swap' && event.swap.solAmount === 0
  const events = market(61, 60_000).filter(isForNothing)
  const form = { isLogCut: true, age: 0 } as const
  const seen = assertRoundTrip(t, slotsOf(events), { form, isBare: true })
  for (const dex of [3, 6]) t.true(seen.swaps.has(dex), `venue ${dex}`)
})

/** Swaps that follow each other as one transaction of up to four; that of a new pool stays with its creation. */
function joined(events: readonly MarketEvent[], seed: number): MarketEvent[] {
  const prng = new Prng([seed])
  let first: Swap | undefined
  let [left, count] = [0, 0]
  let created: string | undefined
  const counts = new Map<number, number>()
  return events.map((event) => {
    if (event.kind === 'pool_event') created = event.poolEvent.signature
    if (event.kind !== 'swap' || event.swap.signature === created) {
      first = undefined
      return event
    }
    const { swap } = event
    if (left-- <= 0 || swap.slot !== first?.slot) {
      left = prng.below(4)
      first = { ...swap, signature: signatureOf(`joined ${seed} ${count++}`) }
      counts.clear()
    }
    const { signature, blockTxIndex } = first
    const ixIndex = counts.get(swap.dex) ?? 0
    counts.set(swap.dex, ixIndex + 1)
    return { kind: 'swap', swap: { ...swap, signature, blockTxIndex, ixIndex } }
  })
}

test('decodes several swaps of a transaction, of the same pool too', (t) => {
  const seen = assertRoundTrip(t, slotsOf(joined(market(31, 4_000), 31)))
  for (const { dex } of VENUES) t.true((seen.swaps.get(dex) ?? 0) > 10, `venue ${dex}`)
})

test('decodes the same lines from the other forms of a block', (t) => {
  for (const { slot, ...rest } of slotsOf(market(41, 600))) {
    const block = encodeBlock({ slot, ...rest })
    const lines = decodeAnswer(block, slot).events.map(printEvent)
    const parsed = { ...block, transactions: block.transactions.map(asJsonParsed) }
    t.deepEqual(decodeAnswer(parsed, slot).events.map(printEvent), lines)
    const update = {
      slot: String(slot),
      blockTime: { timestamp: String(block.blockTime) },
      transactions: block.transactions.map(asGeyser),
    }
    const geyser = readGeyserBlock(update)
    t.deepEqual(geyser === undefined ? [] : decodeBlock(geyser).events.map(printEvent), lines)
  }
})

test('encodes the same events to the same blocks, whatever was encoded before', (t) => {
  const slots = [...slotsOf(market(51, 300))]
  const once = slots.map((slot) => JSON.stringify(encodeBlock(slot)))
  const again = slots.toReversed().map((slot) => JSON.stringify(encodeBlock(slot)))
  t.deepEqual(again.toReversed(), once)
  const [first] = slots
  t.truthy(first)
  if (first === undefined) return
  t.not(encodeBlock(first, { chain: 'other' }).blockhash, encodeBlock(first).blockhash)
})
