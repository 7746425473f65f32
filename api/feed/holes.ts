/**
 * Lost messages of FEED as a process of the API meets them: each is logged at error level and counted once, and the
 * message after it on its subject carries the gap, the same to every reader of the process.
 *
 * Law: a message that names a predecessor which FEED does not hold, and did not trim, has a gap. Whoever begins to
 * read after the predecessor cannot know by itself whether that was there, so the server is asked.
 */
import { LRUCache } from 'lru-cache'
import { decodeFeedBatch, decodeFeedMark, type FeedMark, slotOf } from '../../streams/event-wire.ts'
import type { JetStream, StoredMessage } from '../../streams/jetstream.ts'
import type { Log } from '../../streams/log.ts'
import { type BrokenLink, previousSlotsOf, SubjectChain } from '../../streams/subject-chain.ts'
import { streamExtent } from '../../streams/topology.ts'
import { unlessBroken } from '../../streams/wire.ts'
import { FeedBatch, type OnFault } from './batch.ts'
import type { FillGap, Hole } from './fill.ts'
import type { Gap } from './gap.ts'

type Options = { jetStream: JetStream; stream: string; log: Log; fill?: FillGap | undefined }

/** Predecessors that were found in FEED, and gaps: both are asked for again where they were forgotten. */
const HELD_MAX = 20_000
const GAPS_MAX = 200
const FILL_BOUND_MS = 60_000

export class Holes {
  private readonly options: Options
  private readonly onFault: OnFault
  private readonly held = new LRUCache<number, true>({ max: HELD_MAX })
  private readonly gaps = new LRUCache<number, Promise<Gap>>({ max: GAPS_MAX })
  private found = 0

  constructor(options: Options, onFault: OnFault) {
    this.options = options
    this.onFault = onFault
  }

  /** Lost messages that were met; several in a row on a subject count once. */
  get count(): number {
    return this.found
  }

  /** FEED is another one: sequences begin anew. */
  clear(): void {
    this.held.clear()
    this.gaps.clear()
  }

  /** One reader's messages in order as batches; `oldest`: the first sequence that FEED holds. */
  reading(oldest: () => number, signal: AbortSignal) {
    const chain = new SubjectChain()
    return (message: StoredMessage): FeedBatch | Promise<FeedBatch> => {
      const { sequence, payload } = message
      const link = chain.note(message)
      if (link === undefined || link.previous < oldest() || this.held.has(link.previous)) {
        return new FeedBatch(sequence, payload, this.onFault)
      }
      return this.gapOf(message, link, signal).then(
        (gap) => new FeedBatch(sequence, payload, this.onFault, gap),
      )
    }
  }

  private async gapOf(
    message: StoredMessage,
    { subject, previous, read }: BrokenLink,
    signal: AbortSignal,
  ): Promise<Gap | undefined> {
    const { jetStream, stream } = this.options
    const { sequence, payload } = message
    const known = this.gaps.get(sequence)
    if (known !== undefined) return known
    if (read === undefined && (await jetStream.messageAt(stream, previous)) !== undefined) {
      this.held.set(previous, true)
      return undefined
    }
    // It may have been trimmed a moment ago.
    const extent = await streamExtent(jetStream, stream)
    if (extent === undefined || previous < extent.first) return undefined
    const again = this.gaps.get(sequence)
    if (again !== undefined) return again
    this.found++
    const lost = previousSlotsOf(message)
    const hole = { subject, previous, sequence, payload, slots: lost?.slots }
    const { poolLane, commitNumber } =
      unlessBroken(() => decodeFeedMark(payload)) ?? ({ poolLane: -1, commitNumber: 0 } as FeedMark)
    const mark = { poolLane, commitNumber: lost?.commitNumber ?? commitNumber, part: 0 }
    const gap = this.fill(hole, { from: read ?? previous - 1, to: previous, mark }, signal)
    this.gaps.set(sequence, gap)
    return gap
  }

  /** A gap is told also where the tables cannot be read. */
  private async fill(
    hole: Hole,
    place: Pick<Gap, 'from' | 'to' | 'mark'>,
    signal: AbortSignal,
  ): Promise<Gap> {
    const { log, fill } = this.options
    const { subject, previous } = hole
    const bound = AbortSignal.any([signal, AbortSignal.timeout(FILL_BOUND_MS)])
    const filled = await fill?.(hole, bound).catch((fault: unknown) => {
      log.warn({ err: fault, sequence: previous }, 'cannot fill lost messages of FEED')
    })
    const slots = filled?.slots ?? hole.slots ?? ownSlots(hole.payload)
    const events = filled?.events ?? []
    const isFilled = filled !== undefined
    const told = { subject, sequence: previous, slots, events: events.length, isFilled }
    log.error(told, 'lost a message of FEED; filling from the tables')
    return { ...place, slots, events, isFilled }
  }
}

function ownSlots(payload: Uint8Array): [number, number] {
  const slots = (unlessBroken(() => decodeFeedBatch(payload)) ?? []).map(slotOf)
  return [slots[0] ?? 0, slots.at(-1) ?? 0]
}
