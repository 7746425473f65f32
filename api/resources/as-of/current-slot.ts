/**
 * The slot at which a page reads all its figures: the highest one up to which every worker has applied what is indexed.
 *
 * A gap of the coverage holds it back only at the end of the chain, where a source may be about to fill it. An older one may
 * never be filled, and would hold all pages in the past: `coverage_gaps` of each answer as of a slot states it instead.
 * Decision: docs/decisions/0119-an-old-gap-does-not-hold-the-current-slot.md
 */
import type { Gap } from '../../../domain/coverage.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import {
  type FeedPosition,
  isWhole,
  type PublishedRow,
} from '../../../streams/feed/published-commits.ts'
import { ApiError } from '../../routing/error.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { readNewestIndexed } from './newest-indexed.ts'
import { SETTLED_SLOTS } from './present.ts'

/** `epoch`: of FEED; `first_slot`: of a commit that FEED may lack. */
type AppliedRow = PublishedRow & {
  actor: 'pool' | 'ledger' | 'ranking'
  epoch: string | null
  sequence: number
  first_slot: number | null
}

/**
 * Least slot of the events that FEED has after a sequence, up to a later one; infinity where there is none, undefined where
 * this process does not have all of them, null where it reads no FEED.
 */
export type LeastSlotAfter = (
  feed: { readonly epoch: string | null; readonly after: number; readonly head: number },
  signal: AbortSignal,
) => Promise<number | undefined | null>

/** `position`: what this process had of FEED before the tables were read; undefined where it reads none. */
export type FeedReads = {
  readonly position: FeedPosition | undefined
  readonly leastSlotAfter: LeastSlotAfter
  readonly signal: AbortSignal
}

const listApplied = query<AppliedRow>('as-of/list_applied')
const findRetraction = query<{ first_slot: number | null }>('as-of/find_first_retraction')

/** The newest slot in the tables, and those that bound it. `retracted`: the lowest slot of which a retraction is to be applied. */
type Progress = {
  newest: number | null
  retracted: number | null
  open: readonly Gap[]
  rows: readonly AppliedRow[]
}

export async function readProgress(db: Queryable, gaps: CoverageGaps): Promise<Progress> {
  const [newest, [left], rows, open] = await inOnePiece(db, () =>
    Promise.all([readNewestIndexed(db), findRetraction(db), listApplied(db), gaps.read(db)]),
  )
  return { newest, retracted: left?.first_slot ?? null, rows, open: open ?? [] }
}

/** The slot, null before the first event, and what is between it and the newest one: the first slot that something lacks. */
type CurrentSlot = {
  slot: number | null
  newest: number | null
  held: { by: AppliedRow['actor'] | 'gap'; slot: number } | null
}

/** Throws ApiError where a worker lags so far that this process does not know its rest. */
export async function currentSlot(
  { newest, retracted, open, rows }: Progress,
  reads: FeedReads,
): Promise<CurrentSlot> {
  if (newest === null) return { slot: null, newest, held: null }
  let held: CurrentSlot['held'] = null
  const bound = (by: AppliedRow['actor'] | 'gap', slot: number): void => {
    if (slot <= newest && slot < (held?.slot ?? Number.POSITIVE_INFINITY)) held = { by, slot }
  }
  if (retracted !== null) bound('pool', retracted)
  for (const { from, to } of open) if (to + SETTLED_SLOTS > newest) bound('gap', from)
  for (const [actor, slot] of await unappliedSlots(rows, reads)) {
    if (slot === undefined) throw tooFar(actor)
    if (slot !== null) bound(actor, slot)
  }
  const slot = ((held as CurrentSlot['held'])?.slot ?? newest + 1) - 1
  return { slot: slot < 0 ? null : slot, newest, held }
}

/** Throws ApiError where the actor may have events up to the slot left to apply. */
export async function expectAppliedBy(
  by: 'ledger' | 'ranking',
  db: Queryable,
  slot: number,
  reads: FeedReads,
): Promise<void> {
  const rows = (await listApplied(db)).filter(({ actor }) => actor === 'pool' || actor === by)
  for (const [actor, bound] of await unappliedSlots(rows, reads)) {
    if (bound === undefined || bound === null || bound <= slot) throw tooFar(actor)
  }
}

const tooFar = (actor: string): ApiError =>
  new ApiError('UNAVAILABLE', `the ${actor} worker has not applied all events: try again`)

/** The least slot that each worker may have left to apply, of those that may have any; undefined and null: not known. */
async function unappliedSlots(
  rows: readonly AppliedRow[],
  { position, leastSlotAfter, signal }: FeedReads,
): Promise<[AppliedRow['actor'], number | undefined | null][]> {
  const pools = rows.filter(({ actor }) => actor === 'pool')
  const bounds: [AppliedRow['actor'], number | undefined | null][] = []
  for (const row of rows) {
    const { actor, sequence, first_slot: slot } = row
    if (actor === 'pool') {
      if (slot !== null && !isRead(row, position)) bounds.push([actor, slot])
      continue
    }
    const isOnly = rows.filter((other) => other.actor === actor).length === 1
    // The only lane of an actor that never committed has read nothing; one of several may never be sent an event.
    const epoch = row.epoch ?? (isOnly ? (position?.epoch ?? pools[0]?.epoch ?? null) : null)
    const same = pools.filter((pool) => pool.epoch === epoch).map((pool) => pool.sequence)
    const read = position?.epoch === epoch ? position.sequence : 0
    const head = Math.max(0, read, ...same)
    if (sequence >= head) continue
    bounds.push([actor, await leastSlotAfter({ epoch, after: sequence, head }, signal)])
  }
  return bounds
}

/** Whether this process has read the newest commit of a pool lane from FEED, which its owner notes there seconds later. */
function isRead(row: AppliedRow, position: FeedPosition | undefined): boolean {
  if (position === undefined || (row.epoch ?? position.epoch) !== position.epoch) return false
  return isWhole(row, position.published)
}
