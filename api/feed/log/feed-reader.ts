/**
 * FEED as the sessions of a process see it: one ordered reader for all, the newest messages in memory,
 * older ones read from the stream for those who want them.
 *
 * Law: what `readFrom` yields is FEED from that sequence on, in order, each message once, or it throws: a
 * stream that was recreated or lost its end never looks like one that is silent or goes on.
 *
 * ```
 *   first ............ ring.first ............ head
 *   read from the stream | from memory       | awaited
 * ```
 */
import { setTimeout as pause, setImmediate as yieldToOthers } from 'node:timers/promises'
import type { FeedPosition } from '../../../streams/feed/feed-position.ts'
import { PublishedCommits } from '../../../streams/feed/published-commits.ts'
import { openReader, type StreamReader } from '../../../streams/nats/jetstream.ts'
import { feedStreamSubject } from '../../../streams/nats/subject.ts'
import { streamExtent } from '../../../streams/nats/topology.ts'
import { type HoleReading, Holes } from '../holes.ts'
import type { FeedHub, FeedListener, HubOptions } from '../hub-interface.ts'
import { FeedBatch } from './batch.ts'
import { Changes } from './changes.ts'
import { beginning, type EndWatch, endWatch, type FeedExtent, isAll, renewed } from './extent.ts'
import { FeedExpired, FeedReplaced } from './feed-errors.ts'
import { ReaderQueue } from './reader-queue.ts'
import { Ring } from './ring.ts'
import { Unreadable } from './unreadable.ts'

export type { FeedHub, FeedListener, HubOptions } from '../hub-interface.ts'

const RING_BYTES_MAX = 16 * 1024 * 1024
const WATCH_EVERY_MS = 1_000
const START_BOUND_MS = 10_000
const TAKE_BYTES_MAX = 1024 * 1024
const TAKE_WAIT_MS = 1_000
/** Payload that is handed on in one turn of the event loop: what it becomes for a client is some times that. */
const SLICE_BYTES = 32 * 1024
const RETRY_MS = 500
/** Milliseconds behind FEED without a message after which the reader is opened anew. */
const STANDSTILL_MS = 5_000
/** Readers of the past at once, in a line behind them, and bytes that one reads before the next may. */
const PAST_READERS_MAX = 8
const PAST_LINE_MAX = 2_000
const PAST_TURN_BYTES = 4 * 1024 * 1024
const PAST_PREFETCH = { bytes: 512 * 1024, messages: 32 }

/** Resolves when it has what FEED had when it was asked. Rejects where there is no FEED. */
export async function openHub(options: HubOptions): Promise<FeedHub> {
  const hub = new Hub(options)
  try {
    await hub.start()
  } catch (fault) {
    await hub.close()
    throw fault
  }
  return hub
}

class Hub implements FeedHub {
  epoch = ''
  private readonly options: HubOptions
  private readonly ring: Ring
  private readonly publications = new PublishedCommits()
  private readonly turns = new ReaderQueue(PAST_READERS_MAX, PAST_LINE_MAX)
  private readonly listeners = new Set<FeedListener>()
  private readonly changes = new Changes()
  private readonly ended = new AbortController()
  private readonly isOther: EndWatch
  private readonly faults: Unreadable
  private readonly holes: Holes
  private oldest = 1
  private newest = 0
  private caughtUpAt = performance.now()
  /** Rises whenever what was read before means nothing any more. */
  private life = 0
  private reader: StreamReader | undefined
  private running: Promise<unknown> = Promise.resolve()

  constructor(options: HubOptions) {
    this.options = options
    this.isOther = endWatch(options)
    this.faults = new Unreadable(options.log)
    const reach = { oldest: () => this.oldest, ended: this.ended.signal }
    this.holes = new Holes(options, reach, this.faults.tell)
    this.ring = new Ring(options.ringBytesMax ?? RING_BYTES_MAX)
  }

  first(): number {
    return Math.min(this.oldest, this.ring.first)
  }

  head(): number {
    return this.newest
  }

  place(): FeedPosition {
    return { epoch: this.epoch, sequence: this.newest, published: this.publications.now() }
  }

  tailLagMs(): number {
    return performance.now() - this.caughtUpAt
  }

  unreadable(): number {
    return this.faults.count
  }

  lost(): number {
    return this.holes.count
  }

  async caughtUp(signal: AbortSignal): Promise<void> {
    const { life } = this
    const extent = await this.lookUp()
    while (extent !== undefined && this.newest < extent.last && !signal.aborted) {
      await this.changes.next(signal)
      this.expectLife(life)
    }
  }

  async start(): Promise<void> {
    const extent = await this.lookUp()
    if (extent === undefined) throw new Error(`there is no stream "${this.options.stream}"`)
    this.epoch = extent.epoch
    this.oldest = extent.first
    this.newest = beginning(extent)
    this.running = Promise.all([this.follow(), this.watch()])
    const bound = AbortSignal.timeout(START_BOUND_MS)
    while (this.newest < extent.last) {
      bound.throwIfAborted()
      await this.changes.next(bound)
    }
  }

  held(sequence: number, countMax: number): readonly FeedBatch[] | undefined {
    if (sequence > this.newest) return []
    return sequence < this.ring.first ? undefined : this.ring.run(sequence, countMax)
  }

  subscribe(listener: FeedListener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async *readFrom(
    sequence: number,
    signal: AbortSignal,
  ): AsyncGenerator<FeedBatch, void, undefined> {
    const { life } = this
    const until = AbortSignal.any([signal, this.ended.signal])
    let next = sequence
    // One chain for turns of the past that follow on each other.
    let holes = this.holes.reading()
    while (!until.aborted) {
      this.expectLife(life)
      if (next > this.newest) await this.changes.next(until)
      else if (next < this.ring.first) next = yield* this.readPast(next, until, life, holes)
      else {
        holes = this.holes.reading()
        const batch = this.ring.from(next)
        if (batch === undefined) throw new Error(`the memory of FEED lacks ${next}`)
        yield batch
        next = batch.sequence + 1
      }
    }
  }

  async close(): Promise<void> {
    this.ended.abort()
    this.changes.tell()
    await this.reader?.close().catch(() => {})
    await this.running
  }

  /** From the stream, for one turn or until memory goes on; answers with the next sequence. */
  private async *readPast(
    from: number,
    signal: AbortSignal,
    life: number,
    holes: HoleReading,
  ): AsyncGenerator<FeedBatch, number, undefined> {
    const end = await this.turns.take()
    let reader: StreamReader | undefined
    try {
      reader = await this.openAt(from, PAST_PREFETCH)
      let next = from
      let bytes = 0
      while (
        bytes < PAST_TURN_BYTES &&
        next < this.ring.first &&
        next <= this.newest &&
        !signal.aborted
      ) {
        const taken = await reader.take(PAST_PREFETCH.bytes, TAKE_WAIT_MS)
        if (reader.renewals() > 0) await this.confirm(life)
        this.expectLife(life)
        const { newest } = this
        if (taken.length === 0 && (await isAll(this.options, next - 1))) {
          await this.expectHeld(next, life)
          yield FeedBatch.ofNothing(newest)
          return newest + 1
        }
        await holes.prepare(taken)
        for (const message of taken) {
          const { sequence, payload } = message
          // Whoever ended it has told how far it came. What this process has yet to hear, all get as it comes.
          if (signal.aborted || sequence > this.newest) return next
          if (sequence > next) await this.expectHeld(next, life)
          yield await holes.batchOf(message)
          next = sequence + 1
          bytes += payload.length
          if (next >= this.ring.first) break
        }
      }
      return next
    } finally {
      end()
      await reader?.close().catch(() => {})
    }
  }

  private async expectHeld(sequence: number, life: number): Promise<void> {
    await this.confirm(life)
    if (sequence < this.oldest) {
      throw new FeedExpired(`FEED begins at ${this.oldest}, after ${sequence}`)
    }
  }

  private expectLife(life: number): void {
    if (life !== this.life) throw new FeedReplaced('FEED is another one than it was')
  }

  /** The one reader: opens it again whenever it broke. */
  private async follow(): Promise<void> {
    let read: { life: number; holes: HoleReading } | undefined
    while (!this.ended.signal.aborted) {
      const { life } = this
      if (read?.life !== life) read = { life, holes: this.holes.readingTail(this.newest + 1) }
      try {
        this.reader = await this.openAt(this.newest + 1)
        await this.followReader(this.reader, life, read.holes)
      } catch (fault) {
        if (this.ended.signal.aborted) return
        if (life === this.life)
          this.options.log.warn({ err: fault }, 'failed to read FEED; will retry')
        await pause(RETRY_MS)
      } finally {
        await this.reader?.close().catch(() => {})
        this.reader = undefined
      }
    }
  }

  private async followReader(
    reader: StreamReader,
    life: number,
    holes: HoleReading,
  ): Promise<void> {
    let renewals = 0
    while (life === this.life && !this.ended.signal.aborted) {
      const taken = await reader.take(TAKE_BYTES_MAX, TAKE_WAIT_MS)
      if (reader.renewals() !== renewals) {
        renewals = reader.renewals()
        await this.confirm(life)
      }
      await holes.prepare(taken)
      let bytes = 0
      for (const message of taken) {
        if (life !== this.life) return
        if (message.sequence > this.newest + 1) {
          await this.confirm(life)
          this.expectUnbroken(life)
        }
        const made = holes.batchOf(message)
        const batch = made instanceof FeedBatch ? made : await made
        if (life !== this.life) return
        this.append(batch)
        bytes += message.payload.length
        if (bytes < SLICE_BYTES) continue
        bytes = 0
        await yieldToOthers()
      }
    }
  }

  /** Throws FeedReplaced where FEED let go of what comes next, after telling everybody; else there is nothing. */
  private expectUnbroken(life: number): void {
    const { epoch, oldest, newest } = this
    if (oldest <= newest + 1) return
    const text = `FEED begins at ${oldest} by now, ${newest} was read`
    this.replace({ epoch, first: oldest, last: oldest - 1 }, new FeedExpired(text))
    this.expectLife(life)
  }

  private append(batch: FeedBatch): void {
    // Of no lane it is known any more what is whole.
    if (batch.isMarked) this.publications.note(batch.mark)
    else this.publications.clear()
    this.newest = batch.sequence
    this.ring.push(batch)
    this.changes.tell()
    for (const listener of this.listeners) listener.onBatch(batch)
  }

  /** Looks every second whether FEED is still the one that it was. */
  private async watch(): Promise<void> {
    const { watchEveryMs = WATCH_EVERY_MS } = this.options
    const { signal } = this.ended
    let seen = { newest: this.newest, at: performance.now() }
    while (!signal.aborted) {
      await pause(watchEveryMs, undefined, { signal }).catch(() => {})
      // What cannot be asked just now is asked again.
      if (!signal.aborted) await this.confirm(this.life).catch(() => {})
      const now = performance.now()
      if (this.newest !== seen.newest || this.tailLagMs() < STANDSTILL_MS) {
        seen = { newest: this.newest, at: now }
      } else if (now - seen.at > STANDSTILL_MS) {
        this.options.log.warn({ head: this.newest }, 'reopening stalled reader of FEED')
        seen.at = now
        await this.reader?.close().catch(() => {})
      }
    }
  }

  /** Throws FeedReplaced where FEED is not the one of this life, after telling everybody. */
  private async confirm(life: number): Promise<void> {
    const { newest } = this
    const extent = await this.lookUp()
    if (life !== this.life || extent === undefined) this.expectLife(life)
    else if (
      await this.isOther(extent, { epoch: this.epoch, newest, read: this.ring.from(newest) })
    ) {
      const now = await renewed(this.options, extent, this.epoch, newest)
      this.expectLife(life)
      this.replace(now, new FeedReplaced('FEED is another one than it was'))
      this.expectLife(life)
    } else {
      this.oldest = extent.first
      await this.passOver(extent.last, life)
      if (this.newest >= extent.last) this.caughtUpAt = performance.now()
    }
  }

  /** What an operator deleted at the end of FEED will not come: it is done with, as it is where it lies before others. */
  private async passOver(last: number, life: number): Promise<void> {
    const isGone = this.newest < last && (await isAll(this.options, this.newest))
    if (!isGone || life !== this.life || this.newest >= last) return
    // Emptied, or aged out: what nobody has read is lost.
    this.expectUnbroken(life)
    this.append(FeedBatch.ofNothing(last))
  }

  private replace(extent: FeedExtent, why: FeedReplaced | FeedExpired): void {
    this.options.log.warn(
      { was: this.epoch, is: extent.epoch, err: why },
      'ending readers of replaced FEED',
    )
    this.life++
    this.epoch = extent.epoch
    this.oldest = extent.first
    // What it has already is nothing that comes: who begins live the moment that it is told begins behind it.
    this.newest = extent.last
    this.ring.clear()
    this.publications.clear()
    this.faults.clear()
    this.holes.clear()
    void this.reader?.close().catch(() => {})
    this.changes.tell()
    for (const listener of this.listeners) listener.onReplaced?.(why)
  }

  private lookUp() {
    return streamExtent(this.options.jetStream, this.options.stream)
  }

  private openAt(sequence: number, prefetch?: { bytes: number; messages: number }) {
    const { jetStream, stream, prefix } = this.options
    return openReader(jetStream, stream, feedStreamSubject(prefix), sequence, prefetch)
  }
}
