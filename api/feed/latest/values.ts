/**
 * The latest values that subscribers of this process watch: values that an event of FEED may have changed are read for
 * all subscribers together, at most four times a second; rankings once a second.
 *
 * Invariant: events in FEED are committed, so a read after an event includes it. Other actors (traders of windows) may
 * apply an event later: the value is read again until their position has reached it. Once FEED is idle, every value
 * converges to what REST returns.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../domain/log.ts'
import type { VenueNaming } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { writeCursor } from '../../../streams/feed/feed-cursor.ts'
import type { Reader } from '../../routing/reading/reader.ts'
import { FeedError } from '../feed-error.ts'
import type { FeedBatch } from '../log/batch.ts'
import type { FeedHub } from '../log/feed-reader.ts'
import type { Subject } from './filter.ts'
import {
  type Instant,
  readCandleValues,
  readInstant,
  readRanking,
  readStatsValues,
} from './read.ts'
import type { LatestChannel } from './schema.ts'
import type { LatestSubscription, Values } from './subscription.ts'
import { LatestValue, type ReadPart } from './value.ts'

/** Milliseconds between two rounds of reads, and between two polls for changes that no event of FEED reports. */
const ROUND_MS = 250
const POLL_MS = 1_000
const RETRY_MS = 1_000
const READ_BOUND_MS = 5_000
/** Milliseconds to wait for other actors to apply an event. */
const AWAIT_MS = 30_000
/** Maximum values per statement: the tokens of one REST request, and as many pools as take the same time. */
const READ_MAX: Readonly<Record<'candles' | 'token_stats', number>> = {
  candles: 1_000,
  token_stats: 200,
}
/** Maximum watched values per process. */
const VALUES_MAX: Readonly<Record<LatestChannel, number>> = {
  candles: 50_000,
  token_stats: 20_000,
  rankings: 300,
}

type Watched = { value: LatestValue; watchers: Map<LatestSubscription, () => void> }
type OfChannel = {
  values: Map<string, Watched>
  /** Values to read, the longest due first. */
  due: Set<Watched>
}

type LatestValuesDeps = {
  hub: FeedHub
  reader: Reader
  log: Log
  venueNames?: VenueNaming | undefined
}

export class LatestValues {
  private readonly deps: LatestValuesDeps
  private readonly channels: Readonly<Record<LatestChannel, OfChannel>> = {
    candles: { values: new Map(), due: new Set() },
    token_stats: { values: new Map(), due: new Set() },
    rankings: { values: new Map(), due: new Set() },
  }
  /** Names of the values that each subscription watches. */
  private readonly watching = new Map<LatestSubscription, readonly string[]>()
  private readonly byPool = new Map<string, Set<Watched>>()
  private readonly byToken = new Map<string, Set<Watched>>()
  private readonly ended = new AbortController()
  private readonly running: Promise<void>
  private kick = (): void => {}
  private instant: Instant | undefined
  private polledAt = Number.NEGATIVE_INFINITY
  private refreshedTo: number | undefined
  /** Number of reads begun; numbers each read. */
  private readCount = 0

  constructor(deps: LatestValuesDeps) {
    this.deps = deps
    this.running = this.run()
  }

  /**
   * Throws FeedError if the process would watch too many values. A value that is watched already does not count again;
   * values that only `instead` watches and no longer wants are subtracted.
   */
  expectRoom(
    channel: LatestChannel,
    subjects: ReadonlyMap<string, Subject>,
    instead?: LatestSubscription,
  ): void {
    const { values } = this.channels[channel]
    let count = values.size
    for (const name of subjects.keys()) if (!values.has(name)) count++
    const own = instead === undefined ? undefined : this.watching.get(instead)
    for (const name of own ?? []) {
      if (!subjects.has(name) && values.get(name)?.watchers.size === 1) count--
    }
    if (count <= VALUES_MAX[channel]) return
    throw new FeedError('UNAVAILABLE', `too many ${channel} are watched: try again`)
  }

  /** Makes the subscription watch exactly its values; `wake` is called when there may be frames. Throws FeedError. */
  watch(subscription: LatestSubscription, wake: () => void): void {
    const { channel, subjects } = subscription
    this.expectRoom(channel, subjects, subscription)
    this.unwatch(subscription)
    const { values, due } = this.channels[channel]
    this.watching.set(subscription, [...subjects.keys()])
    // Earlier reads may be older than what REST has returned to the client since.
    subscription.beginAfter(this.readCount)
    for (const [name, subject] of subjects) {
      let watched = values.get(name)
      if (watched === undefined) {
        watched = {
          value: new LatestValue(name, subject, this.deps.venueNames),
          watchers: new Map(),
        }
        values.set(name, watched)
        for (const [index, key] of this.indexKeysOf(watched)) {
          index.set(key, (index.get(key) ?? new Set()).add(watched))
        }
      }
      watched.watchers.set(subscription, wake)
      due.add(watched)
    }
    this.kick()
  }

  unwatch(subscription: LatestSubscription): void {
    const { values, due } = this.channels[subscription.channel]
    const names = this.watching.get(subscription) ?? []
    this.watching.delete(subscription)
    for (const name of names) {
      const watched = values.get(name)
      if (watched === undefined) continue
      watched.watchers.delete(subscription)
      if (watched.watchers.size > 0) continue
      values.delete(name)
      due.delete(watched)
      for (const [index, key] of this.indexKeysOf(watched)) {
        const all = index.get(key)
        all?.delete(watched)
        if (all?.size === 0) index.delete(key)
      }
    }
  }

  of(channel: LatestChannel): Values {
    const { values } = this.channels[channel]
    const { hub } = this.deps
    return {
      valueOf: (name) => values.get(name)?.value,
      cursorOf: (names) => {
        let sequence = channel === 'rankings' ? this.refreshedTo : hub.head()
        if (sequence === undefined) return null
        for (const name of names) sequence = values.get(name)?.value.doneTo(sequence) ?? sequence
        return writeCursor({ epoch: hub.epoch, sequence, eventCount: 0 })
      },
    }
  }

  onBatch(batch: FeedBatch): void {
    if (this.byPool.size === 0 && this.byToken.size === 0) return
    const now = performance.now()
    const mark = (watched: Watched): void => {
      watched.value.mark(batch.sequence, now)
      this.channels[watched.value.subject.channel].due.add(watched)
    }
    for (const event of batch.events) {
      const record = event.kind === 'swap' ? event.swap : event.poolEvent
      this.byPool.get(record.pairAddress)?.forEach(mark)
      this.byToken.get(record.tokenAddress)?.forEach(mark)
    }
  }

  async end(): Promise<void> {
    this.ended.abort()
    this.kick()
    await this.running
  }

  private *indexKeysOf({ value }: Watched): Generator<[Map<string, Set<Watched>>, string]> {
    const { subject } = value
    if ('pool' in subject) yield [this.byPool, subject.pool]
    if ('token' in subject) yield [this.byToken, subject.token]
  }

  private async run(): Promise<void> {
    const { signal } = this.ended
    while (!signal.aborted) {
      const isIdle = Object.values(this.channels).every(({ values }) => values.size === 0)
      if (isIdle) await this.kicked()
      if (signal.aborted) return
      const restMs = await this.round().then(
        () => ROUND_MS,
        (error) => {
          if (!signal.aborted)
            this.deps.log.warn({ err: error }, 'failed to read latest values; will retry')
          return RETRY_MS
        },
      )
      await pause(restMs, undefined, { signal }).catch(() => {})
    }
  }

  private kicked(): Promise<void> {
    return new Promise((resolve) => {
      this.kick = resolve
    })
  }

  private async round(): Promise<void> {
    const now = performance.now()
    const isPoll = now - this.polledAt >= POLL_MS
    const { candles, token_stats, rankings } = this.channels
    const awaiting = [...token_stats.values.values()].filter(
      ({ value }) => value.awaited !== undefined,
    )
    const isDue = [candles, token_stats, rankings].some(({ due }) => due.size > 0)
    if (!isPoll && !isDue && awaiting.length === 0) return
    const signal = AbortSignal.any([this.ended.signal, AbortSignal.timeout(READ_BOUND_MS)])
    await this.deps.reader.run(signal, async (db) => {
      if (isPoll || awaiting.length > 0) await this.look(db, awaiting, now)
      await this.readDue(db, 'candles', readCandleValues)
      await this.readDue(db, 'token_stats', readStatsValues)
      if (isPoll) for (const watched of rankings.values.values()) rankings.due.add(watched)
      await this.readRankings(db)
      if (isPoll) this.polledAt = now
    })
  }

  /** Marks values as due that change without an event: a new minute or SOL price, and awaited changes that arrived. */
  private async look(db: Queryable, awaiting: readonly Watched[], now: number): Promise<void> {
    const before = this.instant
    const instant = await readInstant(db)
    this.instant = instant
    const { candles, token_stats } = this.channels
    const isLater = instant.minute !== before?.minute
    if (isLater) for (const watched of candles.values.values()) candles.due.add(watched)
    if (isLater || instant.rate !== before?.rate) {
      for (const watched of token_stats.values.values()) token_stats.due.add(watched)
    }
    const countedTo = this.countedTo()
    for (const watched of awaiting) {
      const { awaited } = watched.value
      if (awaited === undefined) continue
      if (awaited.to <= countedTo) token_stats.due.add(watched)
      else if (now - awaited.sinceMs > AWAIT_MS && !token_stats.due.has(watched)) {
        watched.value.settle()
      }
    }
  }

  /** Position of FEED up to which traders of windows are counted; the head if no actor counts them. */
  private countedTo(): number {
    const { hub } = this.deps
    const { ranking_epoch: epoch, ranking_sequence: sequence } = this.instant ?? {}
    if (epoch === null || epoch === undefined) return hub.head()
    return epoch === hub.epoch ? Math.min(hub.head(), sequence ?? 0) : 0
  }

  private async readDue(
    db: Queryable,
    channel: 'candles' | 'token_stats',
    read: (db: Queryable, values: readonly LatestValue[]) => Promise<Map<LatestValue, ReadPart[]>>,
  ): Promise<void> {
    const { due } = this.channels[channel]
    // Taken before the read, which includes at least this much; later events mark the value as due again.
    const seen = channel === 'candles' ? this.deps.hub.head() : this.countedTo()
    const taken = [...due].slice(0, READ_MAX[channel])
    if (taken.length === 0) return
    for (const watched of taken) due.delete(watched)
    try {
      const readNumber = ++this.readCount
      const reads = await read(
        db,
        taken.map(({ value }) => value),
      )
      this.notify(
        taken.map((watched) => {
          const { value } = watched
          return { watched, isChanged: value.put(reads.get(value) ?? [], seen, readNumber) }
        }),
      )
    } catch (error) {
      for (const watched of taken) if (watched.watchers.size > 0) due.add(watched)
      throw error
    }
  }

  private async readRankings(db: Queryable): Promise<void> {
    const { due } = this.channels.rankings
    const { hub } = this.deps
    const { ranking_epoch: epoch, refreshed_sequence: refreshed } = this.instant ?? {}
    const isKnown = epoch === hub.epoch && typeof refreshed === 'number'
    this.refreshedTo = isKnown ? Math.min(refreshed, hub.head()) : undefined
    for (const watched of [...due]) {
      const { value } = watched
      if (value.subject.channel !== 'rankings') continue
      due.delete(watched)
      const readNumber = ++this.readCount
      const parts = await readRanking(db, value.subject.ranking).catch((error) => {
        if (watched.watchers.size > 0) due.add(watched)
        throw error
      })
      this.notify([{ watched, isChanged: value.put(parts, hub.head(), readNumber) }])
    }
  }

  /** Wakes subscriptions that may have frames to send: a change, or a snapshot that waited for this read. */
  private notify(read: readonly { watched: Watched; isChanged: boolean }[]): void {
    const wakes = new Set<() => void>()
    for (const { watched, isChanged } of read) {
      const { value, watchers } = watched
      for (const [subscription, wake] of watchers) {
        if (subscription.note(value.name, isChanged)) wakes.add(wake)
      }
    }
    for (const wake of wakes) wake()
  }
}
