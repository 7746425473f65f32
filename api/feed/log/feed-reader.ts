/**
 * The hub: one ordered tail reader of FEED per process, the newest messages in memory, and readers of the stream for
 * clients that need older ones.
 *
 * Invariant: `readFrom` yields FEED from that sequence on, in order, each message once, or throws: a stream that was
 * recreated or lost its end is never mistaken for one that is idle or continues.
 *
 *   first ............ ring.first ............ head
 *   read from the stream | from memory       | awaited
 *
 *   waiting ---> opening ---> following        modes of the tail reader: close() ends each of them
 *      ^------------'---- error ---'
 */
import assert from 'node:assert/strict'
import { setTimeout as pause, setImmediate as yieldToOthers } from 'node:timers/promises'
import type { FeedPosition } from '../../../streams/feed/published-commits.ts'
import { PublishedCommits } from '../../../streams/feed/published-commits.ts'
import { openReader, type StreamReader } from '../../../streams/nats/jetstream.ts'
import { feedStreamSubject } from '../../../streams/nats/subject.ts'
import { settledExtent, streamNotFound } from '../../../streams/nats/topology.ts'
import { FeedBatch } from './batch.ts'
import { Changes } from './changes.ts'
import { beginning, type EndWatch, endWatch, type FeedExtent, isAll, renewed } from './extent.ts'
import { type HoleReading, Holes } from './holes.ts'
import type { FeedHub, FeedListener, HubOptions } from './hub-interface.ts'
import { FeedExpired, FeedReplaced } from './hub-interface.ts'
import { ReaderQueue } from './reader-queue.ts'
import { Ring } from './ring.ts'
import { Unreadable } from './unreadable.ts'

export type { FeedHub } from './hub-interface.ts'

const RING_BYTES_MAX = 16 * 1024 * 1024
const WATCH_EVERY_MS = 1_000
const START_BOUND_MS = 10_000
const TAKE_BYTES_MAX = 1024 * 1024
const TAKE_WAIT_MS = 1_000
/** Payload bytes delivered per turn of the event loop; the frames made from them are several times larger. */
const SLICE_BYTES = 32 * 1024
const RETRY_MS = 500
/** Milliseconds without a message, while lagging FEED, after which the reader is reopened. */
const STANDSTILL_MS = 5_000
/** Concurrent readers of old messages, the length of their queue, and bytes per turn of a reader. */
const PAST = { readersMax: 8, queueMax: 2_000, turnBytes: 4 * 1024 * 1024 }
const PAST_PREFETCH = { bytes: 512 * 1024, messages: 32 }

/** Resolves when the hub has read what FEED held at the call. Rejects if FEED does not exist. */
export async function openHub(options: HubOptions): Promise<FeedHub> {
  const hub = new Hub(options)
  try {
    await hub.start()
  } catch (error) {
    await hub.close()
    throw error
  }
  return hub
}

/** `waiting`: before the start, and for a while after an error. `opening` again where FEED was replaced. */
type TailMode = 'waiting' | 'opening' | 'following' | 'closed'
type TailRead = { life: number; holes: HoleReading }

const NEXT_MODES: Readonly<Record<TailMode, readonly TailMode[]>> = {
  waiting: ['opening', 'closed'],
  opening: ['following', 'waiting', 'closed'],
  following: ['opening', 'waiting', 'closed'],
  closed: [],
}

class Hub implements FeedHub {
  epoch = ''
  private mode: TailMode = 'waiting'
  private readonly options: HubOptions
  private readonly ring: Ring
  private readonly publications = new PublishedCommits()
  private readonly readerQueue = new ReaderQueue(PAST.readersMax, PAST.queueMax)
  private readonly listeners = new Set<FeedListener>()
  private readonly changes = new Changes()
  private readonly ended = new AbortController()
  private readonly isOther: EndWatch
  private readonly readErrors: Unreadable
  private readonly holes: Holes
  private oldest = 1
  private newest = 0
  private caughtUpAt = performance.now()
  /** Generation of FEED: rises when it is replaced, so that reads of the old one are discarded. */
  private life = 0
  private reader: StreamReader | undefined
  private running: Promise<unknown> = Promise.resolve()

  constructor(options: HubOptions) {
    this.options = options
    this.isOther = endWatch(options)
    this.readErrors = new Unreadable(options.log)
    const reach = { oldest: () => this.oldest, ended: this.ended.signal }
    this.holes = new Holes(options, reach, this.readErrors.report)
    this.ring = new Ring(options.ringBytesMax ?? RING_BYTES_MAX)
  }

  first(): number {
    return Math.min(this.oldest, this.ring.first)
  }

  head(): number {
    return this.newest
  }

  position(): FeedPosition {
    return { epoch: this.epoch, sequence: this.newest, published: this.publications.now() }
  }

  tailLagMs(): number {
    return performance.now() - this.caughtUpAt
  }

  unreadable(): number {
    return this.readErrors.count
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
    if (extent === undefined) throw new Error(streamNotFound(this.options.stream))
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
    // Consecutive turns of reading old messages share one chain.
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

  /** The only writer of `mode`. */
  private enter(mode: TailMode): void {
    assert(NEXT_MODES[this.mode].includes(mode), `a tail reader ${this.mode} cannot be ${mode}`)
    this.mode = mode
    if (mode === 'closed') this.ended.abort()
  }

  private is(mode: TailMode): boolean {
    return this.mode === mode
  }

  async close(): Promise<void> {
    if (!this.is('closed')) this.enter('closed')
    this.changes.notify()
    await this.reader?.close().catch(() => {})
    await this.running
  }

  /** Reads the stream for one turn or up to the messages in memory; returns the next sequence. */
  private async *readPast(
    from: number,
    signal: AbortSignal,
    life: number,
    holes: HoleReading,
  ): AsyncGenerator<FeedBatch, number, undefined> {
    const end = await this.readerQueue.take()
    let reader: StreamReader | undefined
    try {
      reader = await this.openAt(from, PAST_PREFETCH)
      let [next, bytes] = [from, 0]
      while (
        bytes < PAST.turnBytes &&
        next < this.ring.first &&
        next <= this.newest &&
        !signal.aborted
      ) {
        const taken = await reader.take(PAST_PREFETCH.bytes, TAKE_WAIT_MS)
        if (reader.renewals() > 0) await this.confirm(life)
        this.expectLife(life)
        const { newest } = this
        if (taken.length === 0 && (await isAll(this.options, next - 1, this.to(newest)))) {
          await this.expectHeld(next, life)
          yield FeedBatch.ofNothing(newest)
          return newest + 1
        }
        await holes.prepare(taken)
        for (const message of taken) {
          const { sequence, payload } = message
          // Aborted: the caller has reported its position. Newer than the head: delivered once the tail reader has it.
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
    if (life !== this.life) throw new FeedReplaced('FEED was recreated')
  }

  /** Runs the tail reader, and reopens it after errors. */
  private async follow(): Promise<void> {
    let read: TailRead | undefined
    while (!this.is('closed')) {
      this.enter('opening')
      const { life } = this
      if (read?.life !== life) read = { life, holes: this.holes.readingTail(this.newest + 1) }
      try {
        this.reader = await this.openAt(this.newest + 1)
        if (this.is('closed')) return
        this.enter('following')
        await this.followReader(this.reader, read)
      } catch (error) {
        if (this.is('closed')) return
        this.enter('waiting')
        if (life === this.life)
          this.options.log.warn({ err: error }, 'failed to read FEED; will retry')
        await pause(RETRY_MS)
      } finally {
        await this.reader?.close().catch(() => {})
        this.reader = undefined
      }
    }
  }

  private async followReader(reader: StreamReader, { life, holes }: TailRead): Promise<void> {
    let renewals = 0
    while (life === this.life && this.is('following')) {
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

  /** If FEED trimmed the next message before it was read, notifies all listeners and throws FeedReplaced. */
  private expectUnbroken(life: number): void {
    const { epoch, oldest, newest } = this
    if (oldest <= newest + 1) return
    const text = `FEED begins at ${oldest} by now, ${newest} was read`
    this.replace({ epoch, first: oldest, last: oldest - 1 }, new FeedExpired(text))
    this.expectLife(life)
  }

  private append(batch: FeedBatch): void {
    // Without a readable mark it may belong to any lane: no commit counts as completely published.
    if (!batch.isMarked) this.publications.clear()
    else if (batch.payload.length > 0) this.publications.note(batch.mark)
    this.newest = batch.sequence
    this.ring.push(batch)
    this.changes.notify()
    for (const listener of this.listeners) listener.onBatch(batch)
  }

  /** Checks every second that FEED is still the same, and reopens a stalled tail reader. */
  private async watch(): Promise<void> {
    const { watchEveryMs = WATCH_EVERY_MS } = this.options
    let seen = { newest: this.newest, at: performance.now() }
    while (!this.is('closed')) {
      await pause(watchEveryMs, undefined, { signal: this.ended.signal }).catch(() => {})
      // A failed check is repeated in the next round.
      if (!this.is('closed')) await this.confirm(this.life).catch(() => {})
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

  /** If FEED is not that of this generation, notifies all listeners and throws FeedReplaced. */
  private async confirm(life: number): Promise<void> {
    const { newest } = this
    const extent = await this.lookUp(newest)
    if (life !== this.life || extent === undefined) this.expectLife(life)
    else if (
      await this.isOther(extent, { epoch: this.epoch, newest, read: this.ring.from(newest) })
    ) {
      const now = await renewed(this.options, extent, this.epoch, newest)
      this.expectLife(life)
      this.replace(now, new FeedReplaced('FEED was recreated'))
      this.expectLife(life)
    } else {
      this.oldest = extent.first
      await this.passOver(extent.last, life)
      if (this.newest >= extent.last) this.caughtUpAt = performance.now()
    }
  }

  /** Skips messages that an operator deleted at the end of FEED, like those deleted before other messages. */
  private async passOver(last: number, life: number): Promise<void> {
    const isGone = this.newest < last && (await isAll(this.options, this.newest, this.to(last)))
    if (!isGone || life !== this.life || this.newest >= last) return
    // FEED was purged, or its messages expired: unread ones are lost.
    this.expectUnbroken(life)
    this.append(FeedBatch.ofNothing(last))
  }

  private replace(extent: FeedExtent, why: FeedReplaced | FeedExpired): void {
    const { log } = this.options
    log.warn({ was: this.epoch, is: extent.epoch, err: why }, 'ending readers of replaced FEED')
    this.life++
    this.epoch = extent.epoch
    this.oldest = extent.first
    // Messages that the stream already has are not new ones: a client that resubscribes live right away starts after them.
    this.newest = extent.last
    this.ring.clear()
    this.publications.clear()
    this.readErrors.clear()
    this.holes.clear()
    void this.reader?.close().catch(() => {})
    this.changes.notify()
    for (const listener of this.listeners) listener.onReplaced?.(why)
  }

  private lookUp(sequence = 0) {
    return settledExtent(this.options.jetStream, this.options.stream, this.to(sequence))
  }
  private readonly to = (sequence: number) => ({ epoch: this.epoch, sequence })

  private openAt(sequence: number, prefetch?: { bytes: number; messages: number }) {
    const { jetStream, stream, prefix } = this.options
    return openReader(jetStream, stream, feedStreamSubject(prefix), sequence, prefetch)
  }
}
