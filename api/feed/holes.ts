/**
 * Lost messages of FEED as a process of the API meets them: each is logged at error level and counted once, and the
 * message after it on its subject carries the gap, the same to every reader of the process.
 *
 * Law: a message that names a predecessor which FEED does not hold, and did not trim, has a gap. Whoever begins to
 * read after the predecessor cannot know by itself whether that was there: the reader of the newest knows it of all
 * that it read, and of what is older the server is asked, for all subjects at once.
 */
import { LRUCache } from 'lru-cache'
import type { Log } from '../../domain/log.ts'
import {
  decodeFeedBatch,
  decodeFeedMark,
  type FeedMark,
  slotOf,
} from '../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../streams/codec/protobuf.ts'
import type { JetStream, StoredMessage } from '../../streams/nats/jetstream.ts'
import {
  type BrokenLink,
  previousOf,
  previousSlotsOf,
  SubjectChain,
} from '../../streams/nats/subject-chain.ts'
import { streamExtent } from '../../streams/nats/topology.ts'
import type { FillGap, Hole } from './fill.ts'
import type { Gap } from './gap.ts'
import { FeedBatch, type OnBatchError } from './log/batch.ts'

export type HoleReading = {
  /** Before the batches of these messages are asked for: what has to be looked up for them, at once. */
  prepare(messages: readonly StoredMessage[]): Promise<void>
  /** The next message; a promise where there may be a gap before it. */
  batchOf(message: StoredMessage): FeedBatch | Promise<FeedBatch>
}

type Options = { jetStream: JetStream; stream: string; log: Log; fill?: FillGap | undefined }
/** The process's: what one reader asked for is all readers', also when that one goes. */
type Reach = { oldest: () => number; ended: AbortSignal }

/** Predecessors that were found in FEED, and gaps: both are asked for again where they were forgotten. */
const HELD_MAX = 20_000
const GAPS_MAX = 200
const FILL_BOUND_MS = 60_000

export class Holes {
  private readonly options: Options
  private readonly reach: Reach
  private readonly onFault: OnBatchError
  private readonly held = new LRUCache<number, true>({ max: HELD_MAX })
  private readonly gaps = new LRUCache<number, Promise<Gap>>({ max: GAPS_MAX })
  /** Messages that were found to have a gap. */
  private readonly found = new Set<number>()
  /** From here on the reader of the newest has read all that there is. */
  private tailFrom = Number.POSITIVE_INFINITY

  /** `oldest`: the first sequence that FEED holds. */
  constructor(options: Options, reach: Reach, onFault: OnBatchError) {
    this.options = options
    this.reach = reach
    this.onFault = onFault
  }

  /** Lost messages that were met; several in a row on a subject count once. */
  get count(): number {
    return this.found.size
  }

  /** The reader of the newest messages, for as long as FEED is the same; it begins with this sequence. */
  readingTail(from: number): HoleReading {
    this.tailFrom = from
    return this.reading(true)
  }

  /** FEED is another one: sequences begin anew. */
  clear(): void {
    this.tailFrom = Number.POSITIVE_INFINITY
    this.held.clear()
    this.gaps.clear()
    this.found.clear()
  }

  /** One reader's messages in order as batches. */
  reading(isTail = false): HoleReading {
    const { oldest } = this.reach
    const chain = new SubjectChain()
    return {
      prepare: (messages) => this.prepare(chain.firstsOf(messages), oldest()),
      batchOf: (message) => {
        const { sequence, payload } = message
        const link = chain.note(message)
        if (link === undefined || link.previous < oldest()) {
          return new FeedBatch(sequence, payload, this.onFault)
        }
        // The reader of the newest was here before, and found a gap or none.
        const isKnown = !isTail && link.read === undefined && link.previous >= this.tailFrom
        const gap = isKnown ? this.gaps.get(sequence) : this.gapOf(message, link)
        if (gap === undefined) return new FeedBatch(sequence, payload, this.onFault)
        return gap.then(
          (found) => new FeedBatch(sequence, payload, this.onFault, found),
          (fault) => {
            chain.undo(link)
            throw fault
          },
        )
      },
    }
  }

  /** Asks for the predecessors of first messages of subjects together. */
  private async prepare(firsts: readonly StoredMessage[], oldest: number): Promise<void> {
    const asked = firsts.flatMap((message) => {
      const previous = previousOf(message) ?? 0
      const isKnown = previous < oldest || previous >= this.tailFrom || this.held.has(previous)
      return isKnown ? [] : [previous]
    })
    await Promise.all(asked.map((previous) => this.isHeld(previous)))
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
    // It may have been trimmed a moment ago.
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

  /** A gap is reported also where the tables cannot be read. */
  private async fill(hole: Hole, place: Pick<Gap, 'from' | 'to' | 'mark'>): Promise<Gap> {
    const { log, fill } = this.options
    const { subject, previous } = hole
    const bound = AbortSignal.any([this.reach.ended, AbortSignal.timeout(FILL_BOUND_MS)])
    const filled = await fill?.(hole, bound).catch((fault: unknown) => {
      log.warn({ err: fault, sequence: previous }, 'failed to fill lost messages of FEED')
    })
    const slots = filled?.slots ?? hole.slots ?? ownSlots(hole.payload)
    const events = filled?.events ?? []
    const isFilled = filled !== undefined
    const fields = { subject, sequence: previous, slots, events: events.length, isFilled }
    log.error(fields, 'lost a message of FEED; filling from the tables')
    return { ...place, slots, events, isFilled }
  }
}

function ownSlots(payload: Uint8Array): [number, number] {
  const slots = (unlessBroken(() => decodeFeedBatch(payload)) ?? []).map(slotOf)
  return [slots[0] ?? 0, slots.at(-1) ?? 0]
}
