/**
 * Reads the parts of a range in chunks: newest first, so that the days that people look at first are there first; within
 * a chunk in the order of the chain, which spares most recomputing of late swaps.
 *
 * Decision: docs/decisions/0088-backfills-read-newest-chunks-first.md
 */
import { DECODER_VERSION } from '../../../chain/decoder/version.ts'
import type { ChainCounts } from '../../../chain/sources/batch.ts'
import type { Market } from '../../../chain/sources/portal/market.ts'
import { chunksOf, type SlotRange, slotCount } from '../../../domain/coverage.ts'
import type { CommandContext } from '../../cli/command.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import type { RangeProvider } from '../block-provider.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { type ChainServers, runChain } from '../run.ts'
import { givingWay, type LiveLag } from './give-way.ts'

/** Half an hour of the chain: a chunk begins with empty pipes, which costs a second or two. */
export const CHUNK_SLOTS = 5_000

/** Venues as bits. */
export type Part = SlotRange & { readonly venues: number }

export type Outcome = {
  hasEnded: boolean
  slots: number
  /** Slots of the parts that the run had to read and did not. */
  unread: number
  skipped: number
  /** Slots whose blocks do not prove them complete; 0 where the provider's report counts them. */
  gaps: number
  swaps: number
  duplicates: number
  rejects: ReadonlyMap<string, number>
  mismatches: number
  tookMs: number
}

type BackfillDeps = {
  provider: RangeProvider
  servers: ChainServers
  context: Pick<CommandContext, 'progress' | 'signal'>
  heartbeat: Heartbeat
  liveLag: Pick<LiveLag, 'look'>
  isOldestFirst: boolean
  chunkSlots: number
}

export class Backfill {
  readonly #deps: BackfillDeps
  readonly #startedAt = performance.now()
  readonly #rejects = new Map<string, number>()
  #total = 0
  #slots = 0
  #skipped = 0
  #gaps = 0
  #events = 0
  #swaps = 0
  #duplicates = 0
  #mismatches = 0

  constructor(deps: BackfillDeps) {
    this.#deps = deps
  }

  /** `market`: only its events are read, and no slot is recorded as covered. False where it was aborted before the end. */
  async read(parts: readonly Part[], market?: Market): Promise<boolean> {
    const { isOldestFirst, chunkSlots, provider } = this.#deps
    this.#total += parts.reduce((sum, part) => sum + slotCount(part), 0)
    const chunks = provider.isOnePass ? parts : chunksOf(parts, chunkSlots)
    for (const chunk of isOldestFirst || provider.isOnePass ? chunks : chunks.toReversed()) {
      if (!(await this.#readChunk(chunk, market))) return false
    }
    return true
  }

  outcome(hasEnded: boolean): Outcome {
    return {
      hasEnded,
      slots: this.#slots,
      unread: Math.max(0, this.#total - this.#slots),
      skipped: this.#skipped,
      gaps: this.#deps.provider.report === undefined ? this.#gaps : 0,
      swaps: this.#swaps,
      duplicates: this.#duplicates,
      rejects: this.#rejects,
      mismatches: this.#mismatches,
      tookMs: this.#tookMs(),
    }
  }

  async #readChunk({ from, to, venues }: Part, market: Market | undefined): Promise<boolean> {
    const { provider, servers, context, heartbeat, liveLag } = this.#deps
    const { progress, signal } = context
    const onWait = (lag: number): void =>
      progress.update(() => `waiting for the live source: a lane lags ${counted(lag, 'message')}`)
    const source = givingWay(provider.readRange({ from, to, venues, market }), {
      ...liveLag,
      onWait,
    })
    const { commitment, rangeSource } = provider
    const key = { venues, decoderVersion: DECODER_VERSION, source: rangeSource, commitment }
    const onProgress = (): void => progress.update(() => this.#describe(source.counts))
    const run = {
      ...(market === undefined ? { key } : {}),
      heartbeat,
      signal,
      progress,
      onProgress,
    }
    const { hasEnded, stored, duplicates } = await runChain(source, run, servers)
    this.#swaps += stored.swaps
    this.#duplicates += duplicates.swaps
    this.#add(source.counts)
    return hasEnded
  }

  #add(counts: Readonly<ChainCounts>): void {
    this.#slots += counts.slots
    this.#skipped += counts.skippedSlots
    this.#gaps += counts.gapSlots
    this.#events += eventsOf(counts)
    for (const [reason, count] of counts.rejects) {
      this.#rejects.set(reason, (this.#rejects.get(reason) ?? 0) + count)
    }
    for (const count of counts.mismatches.values()) this.#mismatches += count
  }

  #tookMs(): number {
    return performance.now() - this.#startedAt
  }

  /** `45 %, 1,234 of 10,000 slots, 85 slots/s, 9,900 events/s, 120 MB, 2 min 3 s left, 3 requests throttled` */
  #describe(current: Readonly<ChainCounts>): string {
    const total = this.#total
    const done = this.#slots + current.slots
    const seconds = Math.max(this.#tookMs() / 1_000, 1e-3)
    const rate = done / seconds
    const events = (this.#events + eventsOf(current)) / seconds
    const left = rate === 0 ? '' : `, ${duration(((total - done) / rate) * 1_000)} left`
    const share = Math.floor((done / total) * 100)
    const pace = `${grouped(done)} of ${counted(total, 'slot')}, ${perSecond(rate, 'slots')}, ${perSecond(events, 'events')}`
    const { counts } = this.#deps.provider.client
    const { throttled, failed } = counts
    const received = 'bytes' in counts ? `, ${(counts.bytes / 1e6).toFixed(1)} MB` : ''
    const refused = throttled === 0 ? '' : `, ${counted(throttled, 'request')} throttled`
    const repeated = failed === 0 ? '' : `, ${grouped(failed)} repeated`
    return `${share} %, ${pace}${received}${left}${refused}${repeated}`
  }
}

const perSecond = (rate: number, plural: string): string => `${grouped(rate)} ${plural}/s`

const eventsOf = ({ swaps, poolEvents, tokens }: Readonly<ChainCounts>): number =>
  swaps + poolEvents + tokens
