/**
 * Detects lost messages of FEED: each is logged at error level and counted once per process, and the next message of
 * its subject carries the gap, the same for every reader of the process.
 *
 * Invariant: a message has a gap before it if it names a predecessor that FEED neither holds nor trimmed. A reader that
 * starts after the predecessor cannot decide that: for messages that the tail reader has read, its result is used; for
 * older ones the server is queried, for all subjects at once.
 */
import { LRUCache } from 'lru-cache'
import type { Log } from '../../../domain/log.ts'
import {
  decodeFeedBatch,
  decodeFeedMark,
  type FeedMark,
  slotOf,
} from '../../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../../streams/codec/protobuf.ts'
import type { JetStream, StoredMessage } from '../../../streams/nats/jetstream.ts'
import {
  type BrokenLink,
  previousOf,
  previousSlotsOf,
  SubjectChain,
} from '../../../streams/nats/subject-chain.ts'
import { streamExtent } from '../../../streams/nats/topology.ts'
import type { Gap } from '../gap.ts'
import { FeedBatch, type OnBatchError } from './batch.ts'
import type { FillGap, Hole } from './fill.ts'

export type HoleReading = {
  /** Looks up the predecessors of these messages together; to be called before `batchOf`. */
  prepare(messages: readonly StoredMessage[]): Promise<void>
  /** The next message as a batch; a promise if there may be a gap before it. */
  batchOf(message: StoredMessage): FeedBatch | Promise<FeedBatch>
}

type Options = { jetStream: JetStream; stream: string; log: Log; fill?: FillGap | undefined }
/** Lifetime of the process, not of one reader: look-ups and fills are shared and continue when a reader ends. */
type Reach = { oldest: () => number; ended: AbortSignal }

/** Cached predecessors that FEED holds, and cached gaps; evicted ones are looked up again. */
const HELD_MAX = 20_000
const GAPS_MAX = 200
const FILL_BOUND_MS = 60_000

export class Holes {
  private readonly options: Options
  private readonly reach: Reach
  private readonly onError: OnBatchError
  private readonly held = new LRUCache<number, true>({ max: HELD_MAX })
  private readonly gaps = new LRUCache<number, Promise<Gap>>({ max: GAPS_MAX })
  /** Messages with a gap before them. */
  private readonly found = new Set<number>()
  /** First sequence that the tail reader has read; it has read every later message. */
  private tailFrom = Number.POSITIVE_INFINITY

  /** `reach.oldest`: the first sequence that FEED holds. */
  constructor(options: Options, reach: Reach, onError: OnBatchError) {
    this.options = options
    this.reach = reach
    this.onError = onError
  }

  /** Lost messages found; several in a row on a subject count once. */
  get count(): number {
    return this.found.size
  }

  /** Reading of the tail reader, which starts at this sequence; valid until FEED is replaced. */
  readingTail(from: number): HoleReading {
    this.tailFrom = from
    return this.reading(true)
  }

  /** Resets for a replaced FEED, whose sequences start over. */
  clear(): void {
    this.tailFrom = Number.POSITIVE_INFINITY
    this.held.clear()
    this.gaps.clear()
    this.found.clear()
  }

  /** Reading of one reader, which passes its messages in order. */
  reading(isTail = false): HoleReading {
    const { oldest } = this.reach
    const chain = new SubjectChain()
    return {
      prepare: (messages) => this.prepare(chain.firstsOf(messages), oldest()),
      batchOf: (message) => {
        const { sequence, payload } = message
        const link = chain.note(message)
        if (link === undefined || link.previous < oldest()) {
          return new FeedBatch(sequence, payload, this.onError)
        }
        // The tail reader has checked this predecessor already.
        const isKnown = !isTail && link.read === undefined && link.previous >= this.tailFrom
        const gap = isKnown ? this.gaps.get(sequence) : this.gapOf(message, link)
        if (gap === undefined) return new FeedBatch(sequence, payload, this.onError)
        return gap.then(
          (found) => new FeedBatch(sequence, payload, this.onError, found),
          (error) => {
            chain.undo(link)
            throw error
          },
        )
      },
    }
  }

  /** Looks up the predecessors of the first message of each subject together. */
  private async prepare(firsts: readonly StoredMessage[], oldest: number): Promise<void> {
    const requested = firsts.flatMap((message) => {
      const previous = previousOf(message) ?? 0
      const isKnown = previous < oldest || previous >= this.tailFrom || this.held.has(previous)
      return isKnown ? [] : [previous]
    })
    await Promise.all(requested.map((previous) => this.isHeld(previous)))
  }

  private async isHeld(previous: number): Promise<boolean> {
    const { jetStream, stream } = this.options
    if (this.held.has(previous)) return true
    if ((await jetStream.messageAt(stream, previous)) === undefined) return false
    this.held.set(previous, true)
    return true
  }

  private async gapOf(
    message: StoredMessage,
    { subject, previous, read }: BrokenLink,
  ): Promise<Gap | undefined> {
    const { jetStream, stream } = this.options
    const { sequence, payload } = message
    const known = this.gaps.get(sequence)
    if (known !== undefined) return known
    if (read === undefined && (await this.isHeld(previous))) return undefined
    // The predecessor may have been trimmed just now.
    const extent = await streamExtent(jetStream, stream)
    if (extent === undefined || previous < extent.first) return undefined
    const again = this.gaps.get(sequence)
    if (again !== undefined) return again
    this.found.add(sequence)
    const lost = previousSlotsOf(message)
    const hole = { subject, previous, sequence, payload, slots: lost?.slots }
    const { poolLane, commitNumber } =
      unlessBroken(() => decodeFeedMark(payload)) ?? ({ poolLane: -1, commitNumber: 0 } as FeedMark)
    const mark = { poolLane, commitNumber: lost?.commitNumber ?? commitNumber, part: 0 }
    const gap = this.fill(hole, { from: read ?? previous - 1, to: previous, mark })
    this.gaps.set(sequence, gap)
    // A failed fill is not cached: the next reader tries again.
    void gap.then(({ isFilled }) => isFilled || this.gaps.delete(sequence))
    return gap
  }

  /** Fills a gap; one that cannot be filled is reported all the same. */
  private async fill(hole: Hole, range: Pick<Gap, 'from' | 'to' | 'mark'>): Promise<Gap> {
    const { log, fill } = this.options
    const { subject, previous } = hole
    const bound = AbortSignal.any([this.reach.ended, AbortSignal.timeout(FILL_BOUND_MS)])
    const filled = await fill?.(hole, bound).catch((error: unknown) => {
      log.warn({ err: error, sequence: previous }, 'failed to fill lost messages of FEED')
    })
    const slots = filled?.slots ?? hole.slots ?? ownSlots(hole.payload)
    const events = filled?.events ?? []
    const isFilled = filled !== undefined
    const fields = { subject, sequence: previous, slots, events: events.length, isFilled }
    log.error(fields, 'lost a message of FEED; filling from the tables')
    return { ...range, slots, events, isFilled }
  }
}

function ownSlots(payload: Uint8Array): [number, number] {
  const slots = (unlessBroken(() => decodeFeedBatch(payload)) ?? []).map(slotOf)
  return [slots[0] ?? 0, slots.at(-1) ?? 0]
}
