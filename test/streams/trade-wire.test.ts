// The ranking's reader of FEED against the one that reads everything.

import test from 'ava'
import fc from 'fast-check'
import type { Event } from '../../streams/event.ts'
import {
  decodeEventBatch,
  decodeFeedMark,
  encodeEventBatch,
  encodeFeedBatch,
  type FeedEvent,
} from '../../streams/event-wire.ts'
import { NameTable } from '../../streams/name-table.ts'
import { decodeHeardTrades } from '../../streams/trade-wire.ts'
import { WireError } from '../../streams/wire.ts'
import { anyEvent, swapEvent } from './sample-event.ts'

const names = { users: new NameTable(50), mints: new NameTable(50) }
const MARK = { poolLane: 3, commitNumber: 2 ** 40, part: 1 }

/** What a pool lane announces of these events. */
function feedOf(events: readonly Event[]): Buffer {
  const announced = decodeEventBatch(encodeEventBatch(events)).flatMap((event): FeedEvent[] => {
    if (event.kind === 'token') return []
    const stamped = { poolPrice: 1.5, priceImpactBps: -3n, walletTags: 9 }
    return [event.kind === 'swap' ? { ...event, ...stamped } : event]
  })
  return encodeFeedBatch(MARK, announced)
}

test('it reads of every swap what the full reader reads, and the same mark', (t) => {
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 20 }), (events) => {
      const payload = feedOf(events)
      const heard = decodeHeardTrades(payload, names)
      const full = decodeEventBatch(payload).flatMap((e) => (e.kind === 'swap' ? [e.swap] : []))
      t.is(heard.length, full.length)
      for (const [index, { user, mint, isBuy, timestamp, mark }] of heard.entries()) {
        t.like(full[index], { isBuy, timestamp, user: user.text, tokenAddress: mint.text })
        t.deepEqual(mark, decodeFeedMark(payload))
      }
    }),
    { numRuns: 300 },
  )
})

test('bytes that are cut or broken are refused as the full reader refuses them', (t) => {
  const payload = feedOf([swapEvent(), swapEvent()])
  const refuses = (read: () => unknown): boolean => {
    try {
      read()
      return false
    } catch (error) {
      t.true(error instanceof WireError, String(error))
      return true
    }
  }
  let refused = 0
  for (let end = 0; end < payload.length; end++) {
    const cut = payload.subarray(0, end)
    const isRefused = refuses(() => decodeHeardTrades(cut, names))
    t.is(
      isRefused,
      refuses(() => [decodeEventBatch(cut), decodeFeedMark(cut)]),
      `${end}`,
    )
    if (isRefused) refused++
  }
  t.true(refused > payload.length / 2)
  // Field 11 (fee) as a text, which the ranking has no use for: still no swap.
  const wrong = Buffer.from([0x0a, 3, (11 << 3) | 2, 1, 65])
  t.throws(() => decodeHeardTrades(wrong, names), { instanceOf: WireError, message: /field 11/ })
})
