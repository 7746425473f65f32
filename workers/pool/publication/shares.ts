/**
 * Events of a commit shared out to the subjects of FEED: by venue and wallet lane, each message in canonical order and of
 * at most 200 events. Pure.
 */
import { compareFully } from '../../../domain/events/event.ts'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { FeedMark } from '../../../streams/codec/event-codec.ts'
import { BATCH_EVENTS_MAX } from '../../../streams/ingest/batcher.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { feedSubject } from '../../../streams/nats/subject.ts'
import type { Topology } from '../../../streams/nats/topology.ts'
import type { Publication } from '../../runtime/feed/feed-publisher.ts'

type Shared = { kind: 'swap'; swap: Swap } | { kind: 'pool_event'; poolEvent: PoolEvent }

export class FeedShares<E extends Shared> {
  readonly #topology: Topology
  /** By venue and wallet lane: venue 2, lane 3 of 4 is at 2 * 4 + 3. */
  readonly #shares: E[][] = []

  constructor(topology: Topology) {
    this.#topology = topology
  }

  add(event: E): void {
    const [dex, key] =
      event.kind === 'swap'
        ? [event.swap.dex, event.swap.user]
        : [event.poolEvent.dex, event.poolEvent.creator ?? event.poolEvent.pairAddress]
    const { laneCount } = this.#topology
    const share = dex * laneCount + laneOf(key, laneCount)
    const events = this.#shares[share]
    if (events === undefined) this.#shares[share] = [event]
    else events.push(event)
  }

  /** The messages of the commit, with its parts numbered. */
  publications(
    poolLane: number,
    commitNumber: number,
    encode: (mark: FeedMark, events: readonly E[]) => Buffer,
  ): Publication[] {
    const { prefix, laneCount } = this.#topology
    let part = 0
    return this.#shares.flatMap((events, share) => {
      const dex = Math.floor(share / laneCount)
      const subject = feedSubject(prefix, dex, share % laneCount, poolLane)
      events.sort(compareFully)
      const messages: Publication[] = []
      for (let at = 0; at < events.length; at += BATCH_EVENTS_MAX, part++) {
        const own = events.slice(at, at + BATCH_EVENTS_MAX)
        const payload = encode({ poolLane, commitNumber, part }, own)
        const slots = [slotOf(own[0]!), slotOf(own.at(-1)!)] as const
        messages.push({ commitNumber, part, subject, payload, slots })
      }
      return messages
    })
  }
}

const slotOf = (event: Shared): number =>
  event.kind === 'swap' ? event.swap.slot : event.poolEvent.slot
