// The ledger's reader of FEED against the one that reads everything.

import test from 'ava'
import fc from 'fast-check'
import { NameTable } from '../../../streams/codec/address-table.ts'
import { decodeFeedMark } from '../../../streams/codec/event-codec.ts'
import { decodeLedgerSwaps, type LedgerNames } from '../../../streams/codec/ledger-decoder.ts'
import { assertRefusals, feedOf, swapsOf } from '../../support/events/published-feed.ts'
import { anyEvent, swapEvent } from '../../support/events/sample-event.ts'

const names: LedgerNames = {
  users: new NameTable(50),
  mints: new NameTable(50),
  pairs: new NameTable(50),
}

test('the ledger decoder reads the same values and mark of every swap as the full decoder', (t) => {
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 20 }), (events) => {
      const payload = feedOf(events)
      const decoded = decodeLedgerSwaps(payload, names)
      const full = swapsOf(payload)
      t.is(decoded.length, full.length)
      for (const [index, { swap, user, mint, mark }] of decoded.entries()) {
        t.like(full[index], swap)
        t.is(user.text, full[index]!.user)
        t.is(mint.text, full[index]!.tokenAddress)
        t.deepEqual(mark, { ...decodeFeedMark(payload), isRetraction: false })
      }
    }),
    { numRuns: 300 },
  )
})

test('a wallet that trades twice is one name', (t) => {
  const [first, second] = decodeLedgerSwaps(feedOf([swapEvent(), swapEvent()]), names)
  t.is(first?.user, second?.user)
  t.is(first?.mint, second?.mint)
})

test('the ledger decoder refuses truncated and corrupt bytes as the full decoder does', (t) => {
  assertRefusals(t, (payload) => decodeLedgerSwaps(payload, names))
})
