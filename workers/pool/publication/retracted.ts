/**
 * Messages of FEED that take a commit's events back, on the subjects on which they were published: all readers of an
 * event read its retraction after it. Rebuilt from the stored rows after a crash, as those of other commits are.
 */
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
import type { Topology } from '../../../streams/nats/topology.ts'
import type { Committed, LaneContext } from '../../runtime/actor.ts'
import type { Publication } from '../../runtime/feed/feed-publisher.ts'
import { FeedShares } from './shares.ts'

type RetractedRow = SwapRow & { wallet_tags: number | null }
type Taken = ({ kind: 'swap' } & RetractedSwap) | { kind: 'pool_event'; poolEvent: PoolEvent }

const listCommitted = query<{ slot: number; blockhash: string }>('retraction/list_committed')
const listRetractedSwaps = query<RetractedRow>('retraction/list_retracted_swaps')
const listRetractedPoolEvents = query<PoolEventRow>('retraction/list_retracted_pool_events')

export function publishedAsRetracted(
  topology: Topology,
  poolLane: number,
  commitNumber: number,
  { blockhash, swaps, poolEvents }: Retracted,
): Publication[] {
  const shares = new FeedShares<Taken>(topology)
  for (const poolEvent of poolEvents) shares.add({ kind: 'pool_event', poolEvent })
  for (const each of swaps) shares.add({ kind: 'swap', ...each })
  return shares.publications(poolLane, commitNumber, (mark, own) =>
    encodeRetracted(mark, {
      blockhash,
      swaps: own.filter((each) => each.kind === 'swap'),
      poolEvents: own.flatMap((each) => (each.kind === 'swap' ? [] : [each.poolEvent])),
    }),
  )
}

/** `blockhash`: as stored, empty where the retraction gave none. */
export function retractedOf(
  swaps: readonly RetractedRow[],
  poolEvents: readonly PoolEventRow[],
  blockhash: string,
): Retracted {
  return {
    blockhash: blockhash === '' ? undefined : blockhash,
    swaps: swaps.map((row) => ({
      swap: swapOfRow(row),
      poolPrice: row.pool_price,
      priceImpactBps: row.price_impact_bps,
      walletTags: row.wallet_tags ?? 0,
    })),
    poolEvents: poolEvents.map(poolEventOfRow),
  }
}

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
  const retracted = retractedOf(swaps, poolEvents, blockhash)
  return publishedAsRetracted(topology, lane, commitNumber, retracted)
}
