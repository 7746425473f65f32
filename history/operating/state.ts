/**
 * Sealed history as operators see it: how much is sealed, how far, how sealing and verification ended, and which snapshots
 * retain deleted rows. The one source of `swaptide history status`, /admin/v1/history, the console and metrics.
 */
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import type { WaitCause } from '../sealing/wait.ts'

export const SEAL_OUTCOMES = ['running', 'done', 'waits', 'failed'] as const
export const HOLDER_KINDS = ['session', 'prepared', 'standby', 'slot'] as const

/**
 * The newest run of the sealer. `hours`: SEAL_AFTER_HOURS, null where it is not set. `cause`: of one that waits. `reason`: in
 * words, also of one that failed. `since`: of the first run in a row that ended like this.
 */
export type SealRun = {
  readonly hours: number | null
  readonly outcome: (typeof SEAL_OUTCOMES)[number]
  readonly cause: WaitCause | null
  readonly reason: string | null
  readonly since: Date
  readonly since_age_ms: number
  readonly started_at: Date
  readonly ended_at: Date | null
  /** Since nothing was left to seal, or since sealing was switched on. */
  readonly caught_up_age_ms: number | null
}
type Verification = {
  readonly segments: number
  readonly damaged: number
  /** The first damage. */
  readonly reason: string | null
  readonly ended_at: Date
  readonly ended_age_ms: number
}
/** `age_ms` null: the server does not know the time, as of a standby. `transactions`: that began since. */
export type SnapshotHolder = {
  readonly kind: (typeof HOLDER_KINDS)[number]
  readonly name: string
  readonly age_ms: number | null
  readonly transactions: number
}
type WaitCount = {
  readonly cause: WaitCause
  readonly waits: number
  readonly waited_at: Date
}

/** Dropping of old swaps. `since_slot`, `since_ms`: 0 before the first drop. `begun_ms`: the newest swap when it was ordered. */
type Bound = {
  readonly since_slot: number
  readonly since_ms: number
  readonly dropped_swaps: number
  readonly days: number
  readonly begun_ms: number
  readonly dropped_at: Date | null
}
export const REFUSAL_KINDS = ['event', 'position'] as const
/** Refusals of what needs dropped swaps. `slot`, `subject`: of the newest. */
type Refusal = {
  readonly kind: (typeof REFUSAL_KINDS)[number]
  readonly refused: number
  readonly slot: number
  readonly subject: string
  readonly refused_at: Date
}

export type HistoryState = {
  readonly segments: number
  readonly sealed_swaps: number
  /** Sizes of blocks and postings with their indexes. */
  readonly bytes: number
  readonly first_slot: number | null
  /** The boundary: the last sealed slot. */
  readonly last_slot: number | null
  readonly boundary_age_ms: number | null
  readonly sealed_at: Date | null
  /** Rows of the table at or below the boundary, about: earlier chunks are not counted. */
  readonly late_rows: number
  /** Rows of segments that no longer count. */
  readonly gone_rows: number
  readonly seal: SealRun | null
  readonly waits: readonly WaitCount[]
  readonly verification: Verification | null
  readonly holders: readonly SnapshotHolder[]
  /** Null: none is to be dropped. */
  readonly dropping: Bound | null
  readonly refusals: readonly Refusal[]
}

/** Bounds the count within the chunk of the boundary. */
const LATE_ROWS_MAX = 100_000
const HOLDERS_MAX = 5

type Sums = {
  segments: number
  rows: number
  gone: number
  bytes: number
  first_slot: number | null
  last_slot: number | null
  sealed_at: Date | null
}
type Run = SealRun & Verification & { kind: 'seal' | 'verify' }

const readSums = query<Sums>('sealing/read_history')
const readBounds = query<{ boundary_age_ms: number | null; late_rows: number }>(
  'sealing/read_bounds',
)
const readRuns = query<Run>('history-runs/read_runs')
const listWaits = query<WaitCount>('history-runs/list_waits')
const readBound = query<Bound>('history-runs/read_bound')
const listRefusals = query<Refusal>('history-runs/list_refusals')
const listHolders = query<SnapshotHolder>('history-runs/list_holders')

export async function readHistoryState(db: Queryable): Promise<HistoryState> {
  const [sums] = await readSums(db)
  const [bounds] = await readBounds(db, [LATE_ROWS_MAX])
  const runs = await readRuns(db)
  const { rows, gone, ...sealed } = sums!
  return {
    ...sealed,
    sealed_swaps: rows,
    gone_rows: gone,
    ...bounds!,
    seal: sealRun(runs.find(({ kind }) => kind === 'seal')),
    verification: verification(runs.find(({ kind }) => kind === 'verify')),
    waits: await listWaits(db),
    holders: await listHolders(db, [HOLDERS_MAX]),
    dropping: (await readBound(db))[0] ?? null,
    refusals: await listRefusals(db),
  }
}

function sealRun(run: Run | undefined): SealRun | null {
  if (run === undefined) return null
  const { hours, outcome, cause, reason, since, since_age_ms, ...times } = run
  const { started_at, ended_at, caught_up_age_ms } = times
  return {
    ...{ hours, outcome, cause, reason, since, since_age_ms },
    ...{ started_at, ended_at, caught_up_age_ms },
  }
}

function verification(run: Run | undefined): Verification | null {
  if (run === undefined) return null
  const { segments, damaged, reason, ended_at, ended_age_ms } = run
  return { segments, damaged, reason, ended_at, ended_age_ms }
}

/** Bytes of a sealed swap; null where there is none. */
export const bytesPerSwap = ({ bytes, sealed_swaps: swaps }: HistoryState): number | null =>
  swaps === 0 ? null : bytes / swaps

/** Since the oldest transaction that retains deleted rows began; 0 where there is none whose time is known. */
export const oldestSnapshotMs = ({ holders }: HistoryState): number =>
  Math.max(0, ...holders.map(({ age_ms: ms }) => ms ?? 0))
