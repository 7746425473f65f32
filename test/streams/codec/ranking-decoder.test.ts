// The ranking's reader of FEED against the one that reads everything.

import test from 'ava'
import fc from 'fast-check'
import { NameTable } from '../../../streams/codec/address-table.ts'
import { decodeFeedMark } from '../../../streams/codec/event-codec.ts'
import { decodeRankingTrades } from '../../../streams/codec/ranking-decoder.ts'
import { assertRefusals, feedOf, swapsOf } from '../../support/events/published-feed.ts'
import { anyEvent } from '../../support/events/sample-event.ts'

const WALLET_LANE = 3
const names = { users: new NameTable(50), mints: new NameTable(50) }

test('the ranking decoder reads the same values and mark of every swap as the full decoder', (t) => {
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 20 }), (events) => {
      const payload = feedOf(events)
      const decoded = decodeRankingTrades(payload, WALLET_LANE, names)
      const full = swapsOf(payload)
      t.is(decoded.length, full.length)
      for (const [index, trade] of decoded.entries()) {
        const { walletLane, user, mint, isBuy, timestamp, mark } = trade
        t.is(walletLane, WALLET_LANE)
        t.like(full[index], { isBuy, timestamp, user: user.text, tokenAddress: mint.text })
        t.deepEqual(mark, { ...decodeFeedMark(payload), isRetraction: false })
      }
    }),
    { numRuns: 300 },
  )
})

test('the ranking decoder refuses truncated and corrupt bytes as the full decoder does', (t) => {
  assertRefusals(t, (payload) => decodeRankingTrades(payload, WALLET_LANE, names))
})
