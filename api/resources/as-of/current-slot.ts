/**
 * The slot at which a page reads all its figures: the highest one up to which every worker has applied what is indexed, below any
 * gap of the coverage.
 */
import type { Gap } from '../../../domain/coverage.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { readNewestIndexed } from './newest-indexed.ts'

/** `epoch`: of FEED; `first_slot`: of a commit that FEED may lack. */
type AppliedRow = {
  actor: 'pool' | 'ledger' | 'ranking'
  epoch: string | null
  sequence: number
  first_slot: number | null
}

/**
 * Least slot of the events that FEED has after a sequence, up to a later one at least; infinity where there is none,
 * undefined where this process does not have all of them, null where it reads no FEED.
 */
export type LeastSlotAfter = (
  feed: { readonly epoch: string | null; readonly after: number; readonly head: number },
  signal: AbortSignal,
) => Promise<number | undefined | null>

const listApplied = query<AppliedRow>('as-of/list_applied')

/** The newest slot in the tables, and those that bound it. */
type Progress = { newest: number | null; open: readonly Gap[]; rows: readonly AppliedRow[] }

export async function readProgress(db: Queryable, gaps: CoverageGaps): Promise<Progress> {
  const [newest, rows, open] = await inOnePiece(db, () =>
    Promise.all([readNewestIndexed(db), listApplied(db), gaps.read(db)]),
  )
  return { newest, rows, open: open ?? [] }
}

/** Null before the first event. Throws ApiError where a worker lags so far that this process does not know its rest. */
export async function currentSlot(
  { newest, open, rows }: Progress,
  leastSlotAfter: LeastSlotAfter,
  signal: AbortSignal,
): Promise<number | null> {
  if (newest === null) return null
  const bounds = open.map(({ from }) => from)
  for (const [actor, bound] of await unappliedSlots(rows, leastSlotAfter, signal)) {
    if (bound === undefined) throw tooFar(actor)
    if (bound !== null) bounds.push(bound)
  }
  const slot = Math.min(newest, ...bounds.map((bound) => bound - 1))
  return slot < 0 ? null : slot
}

/** Throws ApiError where the ledger may have events up to the slot left to apply. */
export async function expectLedgerApplied(
  db: Queryable,
  slot: number,
  leastSlotAfter: LeastSlotAfter,
  signal: AbortSignal,
): Promise<void> {
  const rows = (await listApplied(db)).filter(({ actor }) => actor !== 'ranking')
  for (const [actor, bound] of await unappliedSlots(rows, leastSlotAfter, signal)) {
    if (bound === undefined || bound === null || bound <= slot) throw tooFar(actor)
  }
}

const tooFar = (actor: string): ApiError =>
  new ApiError('UNAVAILABLE', `the ${actor} worker has not applied all events: try again`)

/** The least slot that each worker may have left to apply, of those that may have any; undefined and null: not known. */
async function unappliedSlots(
  rows: readonly AppliedRow[],
  leastSlotAfter: LeastSlotAfter,
  signal: AbortSignal,
): Promise<[AppliedRow['actor'], number | undefined | null][]> {
  const pools = rows.filter(({ actor }) => actor === 'pool')
  const bounds: [AppliedRow['actor'], number | undefined | null][] = []
  for (const { actor, epoch, sequence, first_slot: slot } of rows) {
    if (actor === 'pool') {
      if (slot !== null) bounds.push([actor, slot])
      continue
    }
    const same = pools.filter((pool) => pool.epoch === epoch)
    const head = Math.max(0, ...same.map((pool) => pool.sequence))
    if (sequence >= head) continue
    bounds.push([actor, await leastSlotAfter({ epoch, after: sequence, head }, signal)])
  }
  return bounds
}
