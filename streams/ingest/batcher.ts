/**
 * Events -> batches of one subject, in canonical order within, published in order per subject.
 *
 * Laws: a batch's contents follow from the events and their order only, so the same file makes the same batches and is
 * recognised when it is sent again; only where `lingerMs` is finite (a live input) does a timer send a partial batch,
 * and never while input is ready. While `maxInFlight` batches are unacknowledged no input is read. The first rejected
 * publish ends it.
 *
 *   events -> [open batch per subject] -> full, too old, lingered, at the end of a block or of all -> publish
 */
import {
  compareEvents,
  countEvents,
  type Event,
  type EventCounts,
  noEvents,
} from '../../domain/events/event.ts'
import type { BlockMark } from '../nats/micro-batch.ts'
import { laneOfSubject, type SubjectPrefix, swapSubjects } from '../nats/subject.ts'

/** `block`: the batch is one of so many of a block and a lane, which are published together. */
export type Batch = { subject: string; events: Event[]; block?: BlockMark }
/** The last events of a block. */
export type BlockEvents = { readonly endsSlot: number; readonly events: readonly Event[] }
/** `duplicate`: the stream already had a batch of this id, so these events are in. */
export type PublishOutcome = 'stored' | 'duplicate'
/** Retries and waits by itself; rejects only when the connection is closed for good. */
export type PublishBatch = (batch: Batch) => Promise<PublishOutcome>

export type BatcherDeps = {
  publish: PublishBatch
  laneCount: number
  prefix: SubjectPrefix
  /** Batches without an answer yet; default 64. */
  maxInFlight?: number
  /** How long a partial batch waits for more (default 2). Infinity for files: until it is full. */
  lingerMs?: number
  /** How much longer just now, for fewer messages; absent: no longer. */
  moreLingerMs?: () => number
  /** How many events from the first on the stream has stored without a gap; after each answer. */
  onAnswered?: (events: number) => void
}

export type PublishReport = { stored: EventCounts; duplicates: EventCounts; batches: number }

export const BATCH_EVENTS_MAX = 200
export const BATCH_BYTES_MAX = 512 * 1024
const IN_FLIGHT_MAX_DEFAULT = 64
/** A pool lane micro-batches small messages for 8 ms anyway: a longer wait here adds to that. */
const LINGER_MS_DEFAULT = 2
/**
 * A batch is published when this many events followed its first one, so that a rare venue's events do not wait for the
 * end of a long file. 44 subjects of 200 events fit in between.
 */
const BATCH_AGE_EVENTS_MAX = 10_000
/** More events a millisecond than this: small messages now cost more than the wait. */
const BUSY_EVENTS_A_MS = 10
/** While busy, partial batches wait so long. */
const BUSY_LINGER_MS = 50
/** Upper bounds of an encoded event: 31 fields of at most 12 bytes, a signature, three addresses, a blockhash. */
const SWAP_BYTES_MAX = 688
const POOL_EVENT_BYTES_MAX = 560
const TOKEN_BYTES_MAX = 192
const RETRACTION_BYTES_MAX = 64
const UTF8_BYTES_A_UNIT_MAX = 3

type OpenBatch = Batch & { bytes: number; openedAt: number }

/**
 * Publishes all events, read one by one, in runs of ready ones or up to the end of a block, and resolves when the stream has acknowledged each.
 * Rejects with the cause if a publish or the input fails.
 */
export async function publishEvents(
  events: AsyncIterable<Event | readonly Event[] | BlockEvents>,
  deps: BatcherDeps,
): Promise<PublishReport> {
  const batcher = new Batcher(deps)
  const iterator = events[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await batcher.untilFailed(iterator.next())
      if (next.done) break
      for (const event of runOf(next.value)) {
        batcher.add(event)
        if (batcher.isFull()) await batcher.untilRoom()
      }
      if ('endsSlot' in next.value) batcher.endBlock(next.value.endsSlot)
    }
    await batcher.finish()
    return batcher.report
  } catch (cause) {
    // Not awaited: a source that waits for its next event ends only when that comes.
    iterator.return?.().catch(() => {})
    // Events before a broken input are still published.
    if (!batcher.hasFailed()) await batcher.finish()
    throw cause
  } finally {
    batcher.close()
  }
}

function runOf(value: Event | readonly Event[] | BlockEvents): readonly Event[] {
  if ('endsSlot' in value) return value.events
  return 'kind' in value ? [value] : value
}

class Batcher {
  readonly report: PublishReport = { stored: noEvents(), duplicates: noEvents(), batches: 0 }
  readonly #deps: BatcherDeps
  readonly #inFlightMax: number
  readonly #lingerMs: number
  /** In the order in which they were opened: the first is the oldest. */
  readonly #open = new Map<string, OpenBatch>()
  /** Closed batches that wait for an acknowledgement of others, oldest first; meanwhile no input is read. */
  readonly #closed: OpenBatch[] = []
  /** Batches without an answer, open ones included, by their first event. */
  readonly #unanswered = new Set<OpenBatch>()
  #eventCount = 0
  #inFlight = 0
  #failure: { cause: unknown } | undefined
  /** Ends the one wait that the loop is in, if it is in one: for room, for the end, for input. */
  #wake: (() => void) | undefined
  #waitsForInput = false
  #lingerTimer: NodeJS.Timeout | undefined
  #lingeredMs = 0
  #eventCountAtLinger = 0
  /** The slot whose last event is the newest one. */
  #endedSlot: number | undefined

  constructor(deps: BatcherDeps) {
    this.#deps = deps
    this.#inFlightMax = deps.maxInFlight ?? IN_FLIGHT_MAX_DEFAULT
    this.#lingerMs = deps.lingerMs ?? LINGER_MS_DEFAULT
    if (!(this.#inFlightMax >= 1)) {
      throw new RangeError(`maxInFlight ${deps.maxInFlight} must be 1 or more`)
    }
  }

  add(event: Event): void {
    const { prefix, laneCount } = this.#deps
    for (const subject of swapSubjects(prefix, event, laneCount)) this.#addTo(subject, event)
    this.#endedSlot = undefined
    this.#eventCount++
    this.#closeAged()
    this.#armLinger()
  }

  #addTo(subject: string, event: Event): void {
    const bytes = encodedBytesMax(event)
    let batch = this.#open.get(subject)
    if (batch !== undefined && batch.bytes + bytes > BATCH_BYTES_MAX) {
      this.#close(batch)
      batch = undefined
    }
    if (batch === undefined) {
      batch = { subject, events: [], bytes: 0, openedAt: this.#eventCount }
      this.#open.set(subject, batch)
      this.#unanswered.add(batch)
    }
    batch.events.push(event)
    batch.bytes += bytes
    if (batch.events.length >= BATCH_EVENTS_MAX) this.#close(batch)
  }

  /** Publishes the block of a live input at once, unless the next one is ready. */
  endBlock(slot: number): void {
    if (this.#lingerMs === Infinity) return
    this.#endedSlot = slot
    setImmediate(() => this.#publishBlock())
  }

  #publishBlock(): void {
    const slot = this.#endedSlot
    if (slot === undefined || !this.#waitsForInput) return
    const batches = [...this.#open.values()]
    const byLane = Map.groupBy(batches, ({ subject }) => laneOfSubject(subject))
    for (const batch of batches) {
      const messages = byLane.get(laneOfSubject(batch.subject))?.length ?? 0
      batch.block = { slot, messages }
      this.#close(batch)
    }
  }

  isFull(): boolean {
    return this.#closed.length > 0 || this.#inFlight >= this.#inFlightMax || this.hasFailed()
  }

  hasFailed(): boolean {
    return this.#failure !== undefined
  }

  async untilRoom(): Promise<void> {
    while (this.isFull() && !this.hasFailed()) await this.#answer()
    this.#throwFailure()
  }

  /** Publishes the open batches and waits for every acknowledgement. */
  async finish(): Promise<void> {
    for (const batch of this.#open.values()) this.#close(batch)
    while (this.#inFlight > 0 && !this.hasFailed()) await this.#answer()
    this.#throwFailure()
  }

  /**
   * The next item of the input, or the failure of a publish, whichever is first. Without Promise.race: a race against
   * one long-lived promise would retain a reaction of every round.
   */
  async untilFailed<T>(next: Promise<T>): Promise<T> {
    this.#waitsForInput = true
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#wake = () => {
          if (this.#failure !== undefined) reject(this.#failure.cause)
        }
        this.#wake()
        next.then(resolve, reject)
      })
    } finally {
      this.#wake = undefined
      this.#waitsForInput = false
    }
  }

  close(): void {
    clearTimeout(this.#lingerTimer)
    this.#open.clear()
  }

  #answer(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.cause
  }

  #close(batch: OpenBatch): void {
    this.#open.delete(batch.subject)
    batch.events.sort(compareEvents)
    this.#closed.push(batch)
    this.#fill()
  }

  #fill(): void {
    while (this.#inFlight < this.#inFlightMax && !this.hasFailed()) {
      const batch = this.#closed.shift()
      if (batch === undefined) return
      this.#inFlight++
      this.report.batches++
      void this.#publish(batch)
    }
  }

  /** Never rejects: a failure is stored for the loop to throw. */
  async #publish(batch: OpenBatch): Promise<void> {
    const { subject, events, block } = batch
    try {
      const outcome = await this.#deps.publish({ subject, events, ...(block && { block }) })
      const { stored, duplicates } = this.report
      countEvents(outcome === 'stored' ? stored : duplicates, countedOf(batch))
      this.#answered(batch)
    } catch (cause) {
      this.#failure ??= { cause }
    }
    this.#inFlight--
    this.#fill()
    this.#wake?.()
  }

  #answered(batch: OpenBatch): void {
    this.#unanswered.delete(batch)
    const [oldest] = this.#unanswered
    this.#deps.onAnswered?.(oldest?.openedAt ?? this.#eventCount)
  }

  #closeAged(): void {
    for (const batch of this.#open.values()) {
      if (this.#eventCount - batch.openedAt < BATCH_AGE_EVENTS_MAX) return
      this.#close(batch)
    }
  }

  #armLinger(): void {
    if (this.#lingerTimer !== undefined || this.#open.size === 0) return
    if (this.#lingerMs === Infinity) return
    this.#eventCountAtLinger = this.#eventCount
    const ms = this.#lingerMs + (this.#deps.moreLingerMs?.() ?? 0)
    this.#lingerTimer = setTimeout(() => {
      // Input that arrived meanwhile is read before the check phase: then none is pending.
      setImmediate(() => this.#lingered(ms))
    }, ms)
  }

  #lingered(ms: number): void {
    this.#lingerTimer = undefined
    this.#lingeredMs += ms
    const arrived = this.#eventCount - this.#eventCountAtLinger
    const isDue = arrived <= BUSY_EVENTS_A_MS * ms || this.#lingeredMs >= BUSY_LINGER_MS
    if (this.#waitsForInput && isDue) {
      this.#lingeredMs = 0
      for (const batch of this.#open.values()) this.#close(batch)
    }
    this.#armLinger()
  }
}

/** The events that a batch counts for: a retraction is counted once, by the message to lane 0. */
export function countedOf({ subject, events }: Batch): readonly Event[] {
  if (laneOfSubject(subject) === 0) return events
  return events.filter(({ kind }) => kind !== 'retract')
}

function encodedBytesMax(event: Event): number {
  if (event.kind === 'swap') return SWAP_BYTES_MAX
  if (event.kind === 'pool_event') return POOL_EVENT_BYTES_MAX
  if (event.kind === 'retract') return RETRACTION_BYTES_MAX
  const { symbol = '', name = '', sector = '' } = event.token
  return TOKEN_BYTES_MAX + UTF8_BYTES_A_UNIT_MAX * (symbol.length + name.length + sector.length)
}
