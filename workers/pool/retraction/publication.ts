/**
 * Messages of FEED that take a commit's events back, on the subjects on which they were published: all readers of an
 * event read its retraction after it. Rebuilt from the stored rows after a crash, as those of other commits are.
 */
import { compareFully } from '../../../domain/events/event.ts'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import {
  type PoolEventRow,
  poolEventOfRow,
  type SwapRow,
  swapOfRow,
} from '../../../domain/events/stored-row.ts'
import { query } from '../../../sql/query.ts'
import {
  encodeRetracted,
  type Retracted,
  type RetractedSwap,
} from '../../../streams/codec/retraction-codec.ts'
import { BATCH_EVENTS_MAX } from '../../../streams/ingest/batcher.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { feedSubject } from '../../../streams/nats/subject.ts'
import type { Topology } from '../../../streams/nats/topology.ts'
import type { Committed, LaneContext } from '../../runtime/actor.ts'
import type { Publication } from '../../runtime/feed/feed-publisher.ts'

type Taken = ({ kind: 'swap' } & RetractedSwap) | { kind: 'pool_event'; poolEvent: PoolEvent }

const listCommitted = query<{ slot: number; blockhash: string }>('retraction/list_committed')
const listRetractedSwaps = query<SwapRow & { wallet_tags: number | null }>(
  'retraction/list_retracted_swaps',
)
const listRetractedPoolEvents = query<PoolEventRow>('retraction/list_retracted_pool_events')

export function publishedAsRetracted(
  { prefix, laneCount }: Topology,
  poolLane: number,
  commitNumber: number,
  { blockhash, swaps, poolEvents }: Retracted,
): Publication[] {
  const all: Taken[] = [
    ...poolEvents.map((poolEvent) => ({ kind: 'pool_event' as const, poolEvent })),
    ...swaps.map((each) => ({ kind: 'swap' as const, ...each })),
  ]
  const shares = Map.groupBy(all, (taken) => {
    const { dex } = taken.kind === 'swap' ? taken.swap : taken.poolEvent
    return dex * laneCount + laneOf(keyOf(taken), laneCount)
  })
  let part = 0
  return [...shares]
    .sort(([a], [b]) => a - b)
    .flatMap(([share, events]) => {
      const dex = Math.floor(share / laneCount)
      const subject = feedSubject(prefix, dex, share % laneCount, poolLane)
      events.sort(compareFully)
      const messages: Publication[] = []
      for (let at = 0; at < events.length; at += BATCH_EVENTS_MAX, part++) {
        const own = events.slice(at, at + BATCH_EVENTS_MAX)
        const payload = encodeRetracted(
          { poolLane, commitNumber, part },
          {
            blockhash,
            swaps: own.filter((each) => each.kind === 'swap'),
            poolEvents: own.flatMap((each) => (each.kind === 'swap' ? [] : [each.poolEvent])),
          },
        )
        const slots = [slotOf(own[0]!), slotOf(own.at(-1)!)] as const
        messages.push({ commitNumber, part, subject, payload, slots })
      }
      return messages
    })
}

const slotOf = (taken: Taken): number =>
  taken.kind === 'swap' ? taken.swap.slot : taken.poolEvent.slot

/** By which its subject's wallet lane was chosen (published-batch.ts). */
const keyOf = (taken: Taken): string =>
  taken.kind === 'swap' ? taken.swap.user : (taken.poolEvent.creator ?? taken.poolEvent.pairAddress)

/** The messages of a commit that applied a retraction, from the rows that it stored; none of any other commit. */
export async function recallRetraction(
  { db, lane, topology }: LaneContext,
  { commitNumber, transactionId }: Committed,
): Promise<Publication[]> {
  const [committed] = await listCommitted(db, [transactionId, lane])
  if (committed === undefined) return []
  const { slot, blockhash } = committed
  const [swaps, poolEvents] = await Promise.all([
    listRetractedSwaps(db, [slot, transactionId]),
    listRetractedPoolEvents(db, [slot, transactionId]),
  ])
  return publishedAsRetracted(topology, lane, commitNumber, {
    blockhash: blockhash === '' ? undefined : blockhash,
    swaps: swaps.map((row) => ({
      swap: swapOfRow(row),
      poolPrice: row.pool_price,
      priceImpactBps: row.price_impact_bps,
      walletTags: row.wallet_tags ?? 0,
    })),
    poolEvents: poolEvents.map(poolEventOfRow),
  })
}
