/**
 * The one way from a source into SWAP: reads batches, reports their notices, publishes their events and acknowledges
 * cursors. A cursor is acknowledged when JetStream has stored every event up to it, so a run that begins after an
 * acknowledged cursor loses nothing; events published beyond it are recognised as duplicates.
 *
 *   source -> batch -> publishEvents -> acknowledgements in any order -> cursors in order
 *
 * Backpressure: while the publisher has no room, no batch is requested. A retryable error reopens the source after the
 * last cursor, with capped back-off; any other error ends the run after everything before it was published.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '../../domain/events/event.ts'
import {
  type BatcherDeps,
  type BlockEvents,
  type PublishReport,
  publishEvents,
} from '../ingest/batcher.ts'
import {
  type ChainTime,
  type Cursor,
  type Source,
  type SourceBatch,
  SourceError,
  type SourceNotice,
} from './source.ts'

export type SourceProgress = {
  /** Units of input that were read, refused ones included. */
  units: number
  events: number
  /** Units that were refused. */
  refused: number
  /** Fields that were left out of units that yielded an event. */
  leftOut: number
  /** 0 to 1; undefined where the source does not know its end. */
  share: number | undefined
  newest: ChainTime | undefined
  /** Every event up to here is stored. */
  acknowledged: Cursor | undefined
}

/** `hasEnded`: the source came to its end; false where the run was aborted before. */
type SourceReport = PublishReport & SourceProgress & { hasEnded: boolean }

export type RunDeps = Omit<BatcherDeps, 'lingerMs' | 'onAnswered'> & {
  signal: AbortSignal
  /** Begin after this cursor, which an earlier run acknowledged. */
  after?: Cursor
  onNotice: (notice: SourceNotice) => void
  /** After each batch and at the end. */
  onProgress?: (progress: Readonly<SourceProgress>) => void
  /** `batches`: the number of the batch that has this cursor, from 1 on. */
  onAcknowledged?: (cursor: Cursor, batches: number) => void
  /** Before the source is opened again. */
  onRetry?: (error: SourceError) => void
}

const RETRY_FROM_MS = 100
const RETRY_TO_MS = 5_000

export async function runSource(source: Source, deps: RunDeps): Promise<SourceReport> {
  const progress: SourceProgress = {
    units: 0,
    events: 0,
    refused: 0,
    leftOut: 0,
    share: undefined,
    newest: undefined,
    acknowledged: deps.after,
  }
  const cursors = new CursorQueue()
  let hasEnded = false

  function acknowledge(): void {
    const taken = cursors.take()
    if (taken === undefined) return
    progress.acknowledged = taken.cursor
    deps.onAcknowledged?.(taken.cursor, taken.batches)
  }

  async function* batches(): AsyncGenerator<readonly Event[] | BlockEvents> {
    for await (const batch of reopening(source, deps)) {
      note(batch, progress, deps.onNotice)
      cursors.push(progress.events, batch.cursor)
      acknowledge()
      const { events, endsSlot } = batch
      if (events.length > 0) yield endsSlot === undefined ? events : { endsSlot, events }
      deps.onProgress?.(progress)
    }
    hasEnded = !deps.signal.aborted
  }

  const report = await publishEvents(batches(), {
    ...deps,
    ...(source.isLive ? {} : { lingerMs: Number.POSITIVE_INFINITY }),
    onAnswered(events) {
      cursors.answered = events
      acknowledge()
    },
  })
  deps.onProgress?.(progress)
  return { ...report, ...progress, hasEnded }
}

function note(batch: SourceBatch, progress: SourceProgress, onNotice: RunDeps['onNotice']): void {
  progress.units += batch.units
  progress.events += batch.events.length
  progress.share = batch.share
  progress.newest = batch.newest
  for (const notice of batch.notices) {
    if (notice.kind === 'refused') progress.refused++
    else if (notice.kind === 'left_out') progress.leftOut += notice.reasons.length
    onNotice(notice)
  }
}

/** `batches`, `events`: their numbers up to the cursor. */
type WaitingCursor = {
  readonly cursor: Cursor
  readonly batches: number
  readonly events: number
}

/** Cursors with the number of events up to them, oldest first; those of batches without events replace each other. */
class CursorQueue {
  /** So many events from the beginning are stored without a gap. */
  answered = 0
  readonly #waiting: WaitingCursor[] = []
  #batches = 0

  push(events: number, cursor: Cursor): void {
    if (this.#waiting.at(-1)?.events === events) this.#waiting.pop()
    this.#batches++
    this.#waiting.push({ events, cursor, batches: this.#batches })
  }

  /** The newest cursor up to which all is stored; undefined where none was added. */
  take(): WaitingCursor | undefined {
    let newest: WaitingCursor | undefined
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (first.events > this.answered) break
      newest = first
      this.#waiting.shift()
    }
    return newest
  }
}

async function* reopening(source: Source, deps: RunDeps): AsyncGenerator<SourceBatch> {
  const { signal } = deps
  let { after } = deps
  for (let failures = 0; ; failures++) {
    try {
      for await (const batch of source.open(after, signal)) {
        after = batch.cursor
        failures = 0
        yield batch
      }
      return
    } catch (error) {
      if (!(error instanceof SourceError && error.isRetryable)) throw error
      deps.onRetry?.(error)
      const waitMs = Math.min(RETRY_TO_MS, RETRY_FROM_MS * 2 ** failures)
      await sleep(waitMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }
}
