// FEED as a pool lane would write it, for tests of its consumers: swaps and pool events of a few wallets, tokens and
// venues, different in every message.

import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { DexId } from '../../../domain/venue.ts'
import { encodeFeedBatch, type FeedEvent } from '../../../streams/codec/event-codec.ts'
import { feedSubject } from '../../../streams/nats/subject.ts'
import { POOL, poolOf, SIGNATURE, SWAP } from '../events/sample-event.ts'
import type { Pipeline } from '../workers/pipeline.ts'

/** A swap (every tenth: a pool event) of number `n`: distinct by its slot. */
export function feedEvent(n: number): FeedEvent {
  const position = { slot: 1_000 + n, blockTxIndex: n % 7, ixIndex: n % 3 }
  const dex = (1 + (n % 10)) as DexId
  if (n % 10 === 9) {
    return {
      kind: 'pool_event',
      bytes: undefined,
      poolEvent: {
        ...position,
        event: 'created',
        signature: SIGNATURE,
        timestamp: SWAP.timestamp + n,
        pairAddress: poolOf(n % 5),
        tokenAddress: poolOf(100 + (n % 4)),
        dex,
        creator: poolOf(200 + (n % 3)),
      },
    }
  }
  const swap = {
    ...SWAP,
    ...position,
    signature: encodeBase58(new Uint8Array(64).map((_, at) => 1 + ((n * 31 + at * 7) % 250))),
    timestamp: SWAP.timestamp + n,
    dex,
    isBuy: n % 2 === 0,
    user: poolOf(200 + (n % 3)),
    tokenAddress: poolOf(100 + (n % 4)),
    pairAddress: n % 5 === 0 ? POOL : poolOf(n % 5),
    solAmount: n % 11 === 0 ? 9_007_199_254_740_993n : 1_000_000_000 + n,
    poolPrice: 0.5,
  }
  const stamped = { poolPrice: 0.5, priceImpactBps: n * 1_000, walletTags: n % 4 }
  return { kind: 'swap', swap, bytes: undefined, ...stamped }
}

/** Publishes messages of `eventCount` events each, numbered through from `from`. */
export async function writeFeed(
  { jetStream, prefix }: Pipeline,
  from: number,
  messageCount: number,
  eventCount = 4,
): Promise<void> {
  const acks = Array.from({ length: messageCount }, (_, index) => {
    const first = from + index * eventCount
    const events = Array.from({ length: eventCount }, (__, at) => feedEvent(first + at))
    const commitNumber = Math.floor(first / eventCount) + 1
    const payload = encodeFeedBatch({ poolLane: 0, commitNumber, part: 0 }, events)
    return jetStream.publish(feedSubject(prefix, 1, index % 4, 0), payload)
  })
  await Promise.all(acks)
}
