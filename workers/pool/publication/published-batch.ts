/**
 * Messages that a commit publishes in FEED: its swaps and pool events by venue and wallet lane, each message in
 * canonical order and of at most 200 events.
 *
 * Law: the messages follow from the set of events only, not from the order in which they were folded. After a crash
 * they are rebuilt from the stored rows (`recallCommit`), and part 3 of a commit must hold what part 3 held before:
 * FEED de-duplicates by commit and part.
 *
 * Decision: docs/decisions/0002-no-outbox-for-published-batches.md
 */

import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import { type PoolEventRow, poolEventOfRow, swapOfRow } from '../../../domain/events/stored-row.ts'
import { listCommittedSwaps } from '../../../history/swaps/newest.ts'
import { query } from '../../../sql/query.ts'
import { encodeFeedBatch, type FeedEvent } from '../../../streams/codec/event-codec.ts'
import type { Topology } from '../../../streams/nats/topology.ts'
import type { Committed, LaneContext } from '../../runtime/actor.ts'
import type { Publication } from '../../runtime/feed/feed-publisher.ts'
import type { AcceptedSwap } from '../pool-state.ts'
import { recallRetraction } from './retracted.ts'
import { FeedShares } from './shares.ts'

const listCommittedPoolEvents = query<PoolEventRow>('pool/list_committed_pool_events')

/** New events, with their encoded bytes where those are in memory. */
type NewEvents = {
  accepted: readonly Pick<AcceptedSwap, 'swap' | 'poolPrice' | 'priceImpactBps' | 'walletTags'>[]
  /** Alongside each of `accepted`. */
  acceptedBytes: readonly (Uint8Array | undefined)[]
  poolEvents: readonly { poolEvent: PoolEvent; bytes?: Uint8Array }[]
}

export function publications(
  topology: Topology,
  poolLane: number,
  commitNumber: number,
  { accepted, acceptedBytes, poolEvents }: NewEvents,
): Publication[] {
  const shares = new FeedShares<FeedEvent>(topology)
  for (const { poolEvent, bytes } of poolEvents)
    shares.add({ kind: 'pool_event', poolEvent, bytes })
  for (let index = 0; index < accepted.length; index++) {
    const { swap, poolPrice, priceImpactBps, walletTags } = accepted[index]!
    const bytes = acceptedBytes[index]
    shares.add({ kind: 'swap', swap, bytes, poolPrice, priceImpactBps, walletTags })
  }
  return shares.publications(poolLane, commitNumber, encodeFeedBatch)
}

/** Rebuilds the messages of a commit of the pool actor from the rows that it stored. */
export async function recallCommit(
  context: LaneContext,
  commit: Committed,
): Promise<Publication[]> {
  const { db, lane, topology } = context
  const { commitNumber, transactionId, runs } = commit
  const retracted = await recallRetraction(context, commit)
  if (retracted.length > 0) return retracted
  const firsts = runs.map(({ first }) => first)
  const lasts = runs.map(({ last }) => last)
  const [swaps, poolEvents] = await Promise.all([
    listCommittedSwaps(db, transactionId, runs),
    listCommittedPoolEvents(db, [transactionId, firsts, lasts]),
  ])
  return publications(topology, lane, commitNumber, {
    accepted: swaps.map((row) => ({
      swap: swapOfRow(row),
      poolPrice: row.pool_price,
      priceImpactBps: row.price_impact_bps,
      walletTags: row.wallet_tags ?? 0,
    })),
    acceptedBytes: [],
    poolEvents: poolEvents.map((row) => ({ poolEvent: poolEventOfRow(row) })),
  })
}
