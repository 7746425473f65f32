/**
 * Finds the slot that a request for a moment means, in the snapshot that its answer is read in, and refuses moments that cannot
 * be answered.
 *
 * Law: an answer and its `as_of` are of one snapshot, so that the cursor in it is where the feed continues the answer.
 */
import type { Int64 } from '../../../domain/amount.ts'
import { expectSlotStored } from '../../../history/sealed/find/stored.ts'
import { readEarliestTimeAfter } from '../../../history/swaps/past.ts'
import { findLaterSlot, findSlotUntil, readLatestTime } from '../../../history/swaps/slots.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { ApiError } from '../../routing/error.ts'
import type { AsOfReading, AsOfSource, AsOfWanted } from '../../routing/reading/as-of.ts'
import { readFeedCursor } from '../../routing/reading/feed-list.ts'
import type { CoverageGaps } from '../coverage/gaps.ts'
import { expectAppliedBy, type LeastSlotAfter } from './current-slot.ts'
import { readNewestIndexed } from './newest-indexed.ts'
import { presentAsOf } from './present.ts'
import { AS_OF_PARAMETERS, asOf } from './schema.ts'

/** `is_repair_left`: impacts of swaps are of a pool's earlier correction. */
type UnappliedRow = { is_retraction_left: boolean; is_repair_left: boolean }

const findUnapplied = query<UnappliedRow>('as-of/find_unapplied')
const findRecount = query<{ next_token_id: number }>('ranking/find_recount')

/** Seconds that an answer of a settled moment may be cached, and one that a late swap may still change. */
const SETTLED_SECONDS = 86_400
const OPEN_SECONDS = 5

type AsOfDeps = {
  gaps: CoverageGaps
  /** Absent: this process reads no FEED. */
  leastSlotAfter?: LeastSlotAfter | undefined
  /** Names the newest event of FEED at or below a slot; absent: this process reads no FEED. */
  changesUntil?: ((slot: number) => string) | undefined
  /** Swaps that an answer may fold; absent: a number that takes about a second. */
  foldedSwapsMax?: number | undefined
}

const FOLDED_SWAPS_MAX = 200_000

export function asOfSource({
  gaps,
  leastSlotAfter = async () => null,
  changesUntil = () => '',
  foldedSwapsMax = FOLDED_SWAPS_MAX,
}: AsOfDeps): AsOfSource {
  return {
    parameters: AS_OF_PARAMETERS,
    schema: asOf,
    // Any event may be of the slot that a time means.
    version: ({ as_of_slot: slot = Number.MAX_SAFE_INTEGER }) => changesUntil(slot),
    read: (wanted, { near, walkMs, signal }, work) =>
      near((db, position) =>
        inSnapshot(db, async () => {
          const { slot, isKnown } = await findSlot(db, wanted)
          let isPending = false
          const [allowed, read] = await inOnePiece(db, () => {
            const latest = readLatestTime(db, slot)
            const unapplied = findUnapplied(db, [slot])
            let later: Promise<number | null> | undefined
            const reads = { position, leastSlotAfter, signal }
            const past: AsOfReading = {
              ...{ db, slot, walkMs, foldedSwapsMax },
              latestMs: () => latest,
              earliestLaterMs: () => {
                later ??= readEarliestTimeAfter(db, slot)
                return later
              },
              lastSwapSlot: () => findSlotUntil(db, slot),
              notePending: () => {
                isPending = true
              },
              expectImpacts: async () => expectNone(slot, await unapplied, 'is_repair_left'),
              expectLedger: () => expectAppliedBy('ledger', db, slot, reads),
              expectRanking: async () => {
                await expectAppliedBy('ranking', db, slot, reads)
                await expectCounted(db)
              },
            }
            const isApplied = unapplied.then((rows) => expectNone(slot, rows, 'is_retraction_left'))
            const rest = [gaps.readFinalized(db), isApplied] as const
            const all = [readFeedCursor(db, position), latest, work(past), ...rest] as const
            return Promise.allSettled([isKnown, Promise.all(all)])
          })
          // A slot that is not indexed is reported first, whatever else failed there.
          if (allowed.status === 'rejected') throw allowed.reason
          if (read.status === 'rejected') throw read.reason
          const [cursor, timestamp, answer, coverage] = read.value
          const found = presentAsOf({ slot, timestamp, cursor, isPending, ...coverage })
          return { answer, asOf: found, seconds: found.settled ? SETTLED_SECONDS : OPEN_SECONDS }
        }),
      ),
  }
}

/** `isKnown` rejects where the slot is above the newest indexed one, or was dropped, which is found out while it is read. */
async function findSlot(
  db: Queryable,
  wanted: AsOfWanted,
): Promise<{ slot: number; isKnown: Promise<unknown> }> {
  const { as_of_slot: slot = 0, as_of_time: timeMs } = wanted
  if (timeMs !== undefined) {
    const found = await slotOfTime(db, timeMs)
    return { slot: found, isKnown: expectSlotStored(db, found) }
  }
  return { slot, isKnown: Promise.all([expectIndexed(db, slot), expectSlotStored(db, slot)]) }
}

/** Before the first event every moment has the same answer. */
async function expectIndexed(db: Queryable, slot: number): Promise<void> {
  const newest = await readNewestIndexed(db)
  if (newest !== null && slot > newest) throw above(`as_of_slot "${slot}"`, newest)
}

async function slotOfTime(db: Queryable, timeMs: Int64): Promise<number> {
  const later = await findLaterSlot(db, timeMs)
  if (later !== undefined) return later - 1
  const newest = await readNewestIndexed(db)
  if (newest === null) return 0
  const latestMs = await readLatestTime(db, newest)
  if (latestMs !== null && timeMs <= latestMs) return newest
  throw above(`as_of_time "${timeMs}"`, newest, `, whose latest swap is of ${latestMs}`)
}

function above(given: string, newest: number, bound = ''): ApiError {
  const text = `${given} is above the newest indexed slot${bound}: use at most ${newest}`
  return new ApiError('INVALID_PARAM', text, { isOfAge: true })
}

/** Throws ApiError where the ranking counts the traders of all tokens again. */
async function expectCounted(db: Queryable): Promise<void> {
  if ((await findRecount(db)).length === 0) return
  throw new ApiError('UNAVAILABLE', 'traders of tokens are being counted: try again')
}

/** Throws ApiError where a pool lane has noted such a change at or before the slot, and not applied it. */
function expectNone(
  slot: number,
  [found]: readonly UnappliedRow[],
  what: keyof UnappliedRow,
): void {
  if (found?.[what] !== true) return
  throw new ApiError(
    'UNAVAILABLE',
    `a worker has not applied all changes up to slot ${slot}: try again`,
  )
}
