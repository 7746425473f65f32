/**
 * References for the partial decoders of FEED: messages as a pool lane publishes them, and the full decoder.
 */
import type { ExecutionContext } from 'ava'
import type { MarketEvent } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import {
  decodeEventBatch,
  decodeFeedMark,
  encodeEventBatch,
  encodeFeedBatch,
  type FeedEvent,
} from '../../../streams/codec/event-codec.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { swapEvent } from './sample-event.ts'

const MARK = { poolLane: 3, commitNumber: 2 ** 40, part: 1 }

/** The messages that a pool lane publishes of these events. */
export function feedOf(events: readonly MarketEvent[]): Buffer {
  const published = decodeEventBatch(encodeEventBatch(events)).flatMap((event): FeedEvent[] => {
    if (event.kind !== 'swap' && event.kind !== 'pool_event') return []
    const stamped = { poolPrice: 1.5, priceImpactBps: -3n, walletTags: 9 }
    return [event.kind === 'swap' ? { ...event, ...stamped } : event]
  })
  return encodeFeedBatch(MARK, published)
}

/** Swaps of the payload, by the full reader. */
export function swapsOf(payload: Uint8Array): Swap[] {
  return decodeEventBatch(payload).flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
}

/** Asserts that `decode` refuses truncated and broken bytes like the full decoder. */
export function assertRefusals(
  t: ExecutionContext,
  decode: (payload: Uint8Array) => unknown,
): void {
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
    const isRefused = refuses(() => decode(cut))
    t.is(
      isRefused,
      refuses(() => [decodeEventBatch(cut), decodeFeedMark(cut)]),
      `${end}`,
    )
    if (isRefused) refused++
  }
  t.true(refused > payload.length / 2)
  // Field 11 (fee) as a text, which neither has a use for: still no swap.
  const wrong = Buffer.from([0x0a, 3, (11 << 3) | 2, 1, 65])
  t.throws(() => decode(wrong), { instanceOf: WireError, message: /field 11/ })
}
