/**
 * Interface for operator functions beyond the API's own tables: worker lanes, job queues, dead letters, replays.
 * The program that starts the API injects the implementation, because the API must not depend on the workers.
 */

import type { DeadLetterRow } from '../../domain/events/rejected-event.ts'
import type { HistoryState } from '../../history/operating/state.ts'
import type { DecoderWarning } from '../../sql/chain/decoder-warnings.ts'
import type { SourceState } from '../../sql/chain/sources.ts'
import type { JobQueue } from '../../streams/jobs/bullmq.ts'
import type { QueueDepth, ReplayJob } from '../../streams/jobs/job.ts'
import type { ReplayRequest } from '../../streams/replay/replay-request.ts'

export type LaneState = {
  actor: string
  lane: number
  /** The worker that owns the lane now. */
  owner: string | null
  /** The last message of the stream that is committed. */
  sequence: number
  /** The last message of the stream for this lane. */
  head: number
  /** Messages of the stream between the two; 0 where all is committed. */
  lag: number
  committed_at: Date | null
  /** Milliseconds since the last commit, by the database's clock. */
  age_ms: number | null
  /** Milliseconds from the storing of the last committed message to its commit; null: that is none of the lane. */
  latency_ms: number | null
}

type KolImport = {
  added: number
  changed: number
  unchanged: number
  /** `3 wallet "x": reason`, by line. */
  refusals: string[]
  /** Warnings about fields that were ignored in accepted lines. */
  warnings: string[]
}

export type MintSector = {
  mint: string
  /** Empty: none. */
  sector: string
}

type SectorImport = {
  stored: number
  /** Whether the workers have applied them; if not, they are in the stream and will be applied. */
  isCounted: boolean
  /** `3 sector absent: reason`, by line. */
  refusals: string[]
}

/** Each rejects with ApiError UNAVAILABLE, or what a client of a server throws, while that is away. */
export type Operations = {
  lanes(): Promise<LaneState[]>
  /** Sources of chain data, as their heartbeats report them. */
  sources(): Promise<SourceState[]>
  /** Signs that the program of a venue has changed. */
  warnings(): Promise<DecoderWarning[]>
  /** Sealed history, the newest run of the sealer and the newest verification. */
  history(): Promise<HistoryState>
  /** Rejects with JobsUnavailable. */
  queues(): Promise<QueueDepth[]>
  /** The newest, or the newest below an id. */
  deadLetters(page: {
    limit: number
    onlyWaiting: boolean
    belowId?: number | undefined
  }): Promise<DeadLetterRow[]>
  countDeadLetters(): Promise<number>
  /** Sends these again, or the oldest that wait. Resolves to the ids that there were. */
  retryDeadLetters(ids: readonly number[] | 'oldest', by: string): Promise<number[]>
  /** Merges a file of `swaptide import kols`; rejected lines are reported, the others are stored. */
  importKols(file: Uint8Array, by: string): Promise<KolImport>
  /**
   * Puts sectors into the stream, each mint once, above all that is known, and waits some seconds for the workers.
   * Rejects with ApiError UNAVAILABLE where the stream did not take them in that time.
   */
  storeSectors(sectors: readonly MintSector[], by: string): Promise<Pick<SectorImport, 'isCounted'>>
  /** The same for a file of `swaptide import sectors`; rejected lines are reported, the others are stored. */
  importSectors(file: Uint8Array, by: string): Promise<SectorImport>
  replays: {
    /** Also rejects with ApiError INVALID_PARAM where the requested data is not available. */
    start(request: ReplayRequest & { to_subject: string }, by: string): Promise<ReplayJob>
    list(): Promise<ReplayJob[]>
    /** Resolves to false where there is none of this id. */
    stop(id: string, by: string): Promise<boolean>
  }
  /** The queues themselves, for their board. */
  boardQueues(): ReturnType<JobQueue['queues']>
}
