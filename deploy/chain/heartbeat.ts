/**
 * Heartbeat of a source of chain data: its progress as a row of the table `chain_source`, written every 5 s.
 *
 *   source: counts, newest slot -- batches, cursors, retries of its run --> Heartbeat -> chain_source -> status, metrics, console
 *
 * The row is for operators only and stops nothing: one that cannot be written is logged and written later. A source that
 * ends in order deletes it; one that fails leaves it with the error.
 */
import { randomUUID } from 'node:crypto'
import { type ChainCounts, noChainCounts, readChainCursor } from '../../chain/sources/batch.ts'
import type { ChainSource } from '../../chain/sources/reader.ts'
import type { Log } from '../../domain/log.ts'
import { venueOf } from '../../domain/venue.ts'
import {
  beatSource,
  forgetSource,
  lagOf,
  type SourceBeat,
  type SourceState,
} from '../../sql/chain/sources.ts'
import type { Db } from '../../sql/db.ts'
import type { ChainTime, Cursor } from '../../streams/sources/source.ts'
import { explainError } from '../cli/explain-error.ts'
import type { RangeProvider } from './block-provider.ts'

import type { CoverageKey } from './coverage.ts'

export type HeartbeatOptions = {
  key: CoverageKey
  /** Host and port of the provider. */
  endpoint: string
  /** Range of a backfill; absent: the source follows the chain. */
  range?: { from: number; to: number }
  /** The client with the count of requests; absent: the source makes none. */
  client?: RangeProvider['client'] | undefined
}

const BEAT_MS = 5_000
/** Rates are those of so many milliseconds. */
const RATE_MS = 60_000
const ERROR_LENGTH_MAX = 500

type Sample = { readonly atMs: number; readonly slots: number; readonly swaps: number }

export class Heartbeat {
  readonly #id = randomUUID()
  readonly #db: Db
  readonly #log: Log
  readonly #options: HeartbeatOptions
  readonly #startedAt = new Date()
  /** Counts of sources that ended: a backfill runs one for each part of its range. */
  #before: Readonly<ChainCounts> = noChainCounts()
  #source: ChainSource | undefined
  #newestBlock: ChainTime | undefined
  #cursorSlot: number | undefined
  #movedAt = Date.now()
  #retries = 0
  #lastError: { readonly text: string; readonly at: Date } | undefined
  #endedAt: Date | undefined
  #samples: Sample[] = [{ atMs: performance.now(), slots: 0, swaps: 0 }]
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #writtenAt = Date.now()
  #isFailing = false
  /** Newest slot at the last heartbeat. */
  #polledSlot = 0
  readonly #ended = new AbortController()

  constructor(db: Db, log: Log, options: HeartbeatOptions) {
    this.#db = db
    this.#log = log
    this.#options = options
  }

  /** Writes the row, now and periodically. */
  async begin(): Promise<void> {
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
    await this.#beat()
  }

  /** Reports a source from now on; counts of the one before it are added to its own. */
  follow(source: ChainSource): void {
    this.#before = this.#counts()
    this.#source = source
  }

  noteNewest(newest: ChainTime | undefined): void {
    this.#newestBlock = newest ?? this.#newestBlock
  }

  acknowledge(cursor: Cursor): void {
    const { slot, events } = readChainCursor(cursor, 'a reported source')
    const cursorSlot = events === undefined ? slot : slot - 1
    if (cursorSlot !== this.#cursorSlot) this.#movedAt = Date.now()
    this.#cursorSlot = cursorSlot
  }

  /** The source is opened again after an error. */
  noteRetry(message: string): void {
    this.#retries++
    this.#noteError(message)
  }

  /** The last heartbeat; `failure`: why the source ended, absent where it ended in order. */
  async end(failure?: unknown): Promise<void> {
    clearInterval(this.#timer)
    this.#ended.abort()
    await this.#writing
    if (failure === undefined) {
      await forgetSource(this.#db, this.#id).catch((err) =>
        this.#log.warn({ err }, 'failed to deregister source'),
      )
      return
    }
    this.#noteError(explainError(failure))
    this.#endedAt = new Date()
    await this.#beat()
  }

  /** The source as it is now, by this machine's clock. */
  state(): SourceState {
    const nowMs = Date.now()
    const beat = this.#row()
    const lagMs = beat.newest_block_ms === null ? null : Math.max(0, nowMs - beat.newest_block_ms)
    return {
      ...beat,
      ...lagOf(beat, lagMs),
      state: this.#endedAt === undefined ? 'running' : 'failed',
      moved_at: new Date(this.#movedAt),
      seen_at: new Date(this.#writtenAt),
      age_ms: Math.max(0, nowMs - this.#writtenAt),
      moved_age_ms: Math.max(0, nowMs - this.#movedAt),
    }
  }

  #noteError(text: string): void {
    this.#lastError = { text: text.slice(0, ERROR_LENGTH_MAX), at: new Date() }
  }

  #beat(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    this.#sample()
    this.#pollNewest()
    try {
      await beatSource(this.#db, this.#row())
      this.#writtenAt = Date.now()
      this.#isFailing = false
    } catch (err) {
      if (!this.#isFailing) this.#log.warn({ err }, 'failed to record heartbeat; will retry')
      this.#isFailing = true
    }
  }

  #sample(): void {
    const { slots, swaps } = this.#counts()
    const atMs = performance.now()
    this.#samples.push({ atMs, slots, swaps })
    while ((this.#samples[1]?.atMs ?? atMs) <= atMs - RATE_MS) this.#samples.shift()
  }

  /** A source that reads far from the newest slot seldom requests it. */
  #pollNewest(): void {
    const { key, client } = this.#options
    if (client === undefined || !('getSlot' in client) || key.source !== 'rpc') return
    if (this.#ended.signal.aborted) return
    if (client.newestSlot > 0 && client.newestSlot === this.#polledSlot) {
      // The source itself reports what fails.
      client.getSlot(this.#ended.signal).catch(() => {})
    }
    this.#polledSlot = client.newestSlot
  }

  #counts(): ChainCounts {
    return sumOf(this.#before, this.#source?.counts ?? noChainCounts())
  }

  #row(): SourceBeat {
    const { key, endpoint, range, client } = this.#options
    const counts = this.#counts()
    const requests = client?.counts
    return {
      id: this.#id,
      kind: key.source,
      endpoint,
      commitment: key.commitment,
      venues: key.venues,
      decoder_version: key.decoderVersion,
      from_slot: range?.from ?? null,
      to_slot: range?.to ?? null,
      cursor_slot: this.#cursorSlot ?? null,
      newest_slot: this.#source?.newestSlot || null,
      newest_block_ms: this.#newestBlock?.timestampMs ?? null,
      slots: counts.slots,
      skipped_slots: counts.skippedSlots,
      swaps: counts.swaps,
      pool_events: counts.poolEvents,
      tokens: counts.tokens,
      rejects: Object.fromEntries(counts.rejects),
      mismatches: Object.fromEntries(
        Array.from(counts.mismatches, ([dex, count]) => [venueOf(dex).name, count]),
      ),
      retries: this.#retries,
      requests: requests?.requests ?? 0,
      throttled_requests: requests?.throttled ?? 0,
      failed_requests: requests?.failed ?? 0,
      ...ratesOf(this.#samples),
      last_error: this.#lastError?.text ?? null,
      last_error_at: this.#lastError?.at ?? null,
      started_at: this.#startedAt,
      ended_at: this.#endedAt ?? null,
    }
  }
}

function ratesOf(
  samples: readonly Sample[],
): Pick<SourceBeat, 'slots_per_second' | 'swaps_per_second'> {
  const [first, last] = [samples[0], samples.at(-1)]
  const seconds = ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 1_000
  const rate = (name: 'slots' | 'swaps'): number =>
    seconds <= 0 ? 0 : ((last?.[name] ?? 0) - (first?.[name] ?? 0)) / seconds
  return { slots_per_second: rate('slots'), swaps_per_second: rate('swaps') }
}

function sumOf(one: Readonly<ChainCounts>, other: Readonly<ChainCounts>): ChainCounts {
  return {
    swaps: one.swaps + other.swaps,
    poolEvents: one.poolEvents + other.poolEvents,
    tokens: one.tokens + other.tokens,
    retractions: one.retractions + other.retractions,
    slots: one.slots + other.slots,
    skippedSlots: one.skippedSlots + other.skippedSlots,
    gapSlots: one.gapSlots + other.gapSlots,
    transactions: one.transactions + other.transactions,
    failedTransactions: one.failedTransactions + other.failedTransactions,
    rejects: sumOfMaps(one.rejects, other.rejects),
    mismatches: sumOfMaps(one.mismatches, other.mismatches),
  }
}

function sumOfMaps<Key>(
  one: ReadonlyMap<Key, number>,
  other: ReadonlyMap<Key, number>,
): Map<Key, number> {
  const sum = new Map(one)
  for (const [key, count] of other) sum.set(key, (sum.get(key) ?? 0) + count)
  return sum
}

/** Runs work under a heartbeat, which ends with it: an error is recorded unless the run was aborted. */
export async function withHeartbeat<Result>(
  heartbeat: Heartbeat,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  await heartbeat.begin()
  try {
    const result = await work()
    await heartbeat.end()
    return result
  } catch (error) {
    await heartbeat.end(signal.aborted ? undefined : error)
    throw error
  }
}
