/** Retractions survive the wire, and decoders of other events pass them by. */
import test from 'ava'
import {
  decodeEventBatch,
  decodeFeedBatch,
  decodeFeedMark,
} from '../../../streams/codec/event-codec.ts'
import {
  decodeRetracted,
  decodeRetractions,
  encodeRetracted,
  encodeRetractions,
} from '../../../streams/codec/retraction-codec.ts'
import { sampleSwap } from '../../support/market/sample-swap.ts'

test('a retraction comes back as it was, with its blockhash and without', (t) => {
  const retractions = [
    { slot: 380_000_101, blockhash: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
    { slot: 0, blockhash: undefined },
  ]
  const payload = encodeRetractions(retractions)
  t.deepEqual(decodeRetractions(payload), retractions)
  t.deepEqual(decodeEventBatch(payload), [])
})

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
