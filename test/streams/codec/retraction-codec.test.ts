/** Retracted events survive the wire of FEED, marked as such. */
import test from 'ava'
import { decodeFeedBatch, decodeFeedMark } from '../../../streams/codec/event-codec.ts'
import { decodeRetracted, encodeRetracted } from '../../../streams/codec/retraction-codec.ts'
import { sampleSwap } from '../../support/market/sample-swap.ts'

test('a message that takes events back holds all of their fields, marked as retractions', (t) => {
  const mark = { poolLane: 3, commitNumber: 77, part: 1 }
  const swap = sampleSwap({ poolPrice: 0.5 })
  const retracted = {
    blockhash: undefined,
    swaps: [{ swap, poolPrice: 0.5, priceImpactBps: -12, walletTags: 5 }],
    poolEvents: [],
  }
  const payload = encodeRetracted(mark, retracted)
  t.deepEqual(decodeRetracted(payload), retracted)
  t.deepEqual(decodeFeedMark(payload), mark)
  const [event] = decodeFeedBatch(payload)
  t.like(event, { kind: 'swap', swap, priceImpactBps: -12, walletTags: 5, isRetraction: true })
})
