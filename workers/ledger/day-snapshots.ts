/**
 * Snapshots of positions as their days begin, where swaps are dropped after some time: a late swap of the last days is then folded in
 * although the first swaps of its position are no longer stored.
 *
 * Law: a snapshot is the position as it is stored, made before the first swap of a batch is applied, and never of one that waits for
 * its recompute. Positions that are younger than the stored swaps need none, but for a few days before they are older.
 *
 * Decision: docs/decisions/0128-old-swaps-are-dropped-by-segments.md
 */
import { SEGMENT_SWAPS } from '../../domain/ledger/hours.ts'
import type { LedgerSwap } from '../../domain/ledger/position.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { allInOrder, type Connection, type Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Again, Holding, PositionName } from './holding.ts'
import { packState } from './rows/packed-position.ts'
import { pairs } from './store.ts'

/** `slot`: of the last swap that is in it; `nextSlot`: of the first one that is not. */
export type DaySnapshot = PositionName & {
  readonly swapCount: number
  readonly slot: number
  readonly firstChunk: number
  readonly bytes: Buffer
  readonly nextSlot: number
}

/** Swaps to apply to a position, in order; `again`: from an earlier snapshot on. */
type Touched = {
  readonly holding: Holding
  readonly swaps: readonly LedgerSwap[]
  readonly again?: Again
}

/** Days that are recomputed at least. */
const STORED = 4
/** Swaps are dropped days after the setting changed. */
const CACHE_MS = 30_000

const findDays = query<{ days: number }>('ledger/find_history_days')
const insertSnapshots = query('ledger/insert_day_snapshots')
const deleteOld = query('ledger/delete_old_day_snapshots')
const restore = query<{ found: number }>('ledger/restore_hours')

export class DaySnapshots {
  private readonly db: Db
  private days: number | undefined
  private readAtMs = Number.NEGATIVE_INFINITY

  constructor(db: Db) {
    this.db = db
  }

  /** The snapshots to be made before swaps are applied. */
  async before(touched: readonly Touched[]): Promise<DaySnapshot[]> {
    const nowMs = performance.now()
    if (nowMs - this.readAtMs >= CACHE_MS) {
      this.days = (await findDays(this.db))[0]?.days
      this.readAtMs = nowMs
    }
    const { days } = this
    return days === undefined ? [] : touched.flatMap((each) => snapshotBefore(each, days) ?? [])
  }
}

function snapshotBefore(
  { holding: { walletId, tokenId, state, isPending }, swaps, again }: Touched,
  days: number,
): DaySnapshot | undefined {
  const { last, swapCount, lots } = state
  const [first, newest] = [swaps[0], swaps.at(-1)]
  if (again !== undefined || isPending || last === undefined) return undefined
  if (first === undefined || newest === undefined) return undefined
  const oldMs = newest.timestamp - (days - STORED) * DAY_MS
  const isNewDay = dayOf(newest.timestamp) > dayOf(state.lastTradeMs)
  if (!isNewDay || state.firstTradeMs > oldMs) return undefined
  const at = { swapCount, slot: last.slot, firstChunk: lots.firstSealedChunk }
  return { walletId, tokenId, ...at, bytes: packState(state), nextSlot: first.slot }
}

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS)

/** Before the changes of the batch are written. */
export function writeDaySnapshots(
  connection: Connection,
  snapshots: readonly DaySnapshot[],
): Promise<unknown> {
  const names = pairs(snapshots)
  return allInOrder([
    insertSnapshots(connection, [
      ...names,
      snapshots.map(({ swapCount }) => swapCount),
      snapshots.map(({ slot }) => slot),
      snapshots.map(({ firstChunk }) => firstChunk),
      snapshots.map(({ bytes }) => bytes),
      snapshots.map(({ nextSlot }) => nextSlot),
    ]),
    deleteOld(connection, [...names, STORED]),
  ])
}

/** Whether a recompute begins within a segment, of which hours are restored then. */
export const isWithinSegment = ({ swapCount }: Again): boolean => swapCount % SEGMENT_SWAPS > 0

/** The hours of the snapshots that positions were recomputed from, after their later hours were deleted. */
export async function restoreHours(
  connection: Connection,
  begun: readonly (PositionName & Again)[],
): Promise<void> {
  const [row] = await restore(connection, [
    ...pairs(begun),
    begun.map(({ swapCount }) => swapCount),
    begun.map(({ fromSlot }) => fromSlot),
  ])
  const wanted = begun.filter(isWithinSegment).length
  // The lane loses its memory then, and begins with a snapshot that is stored.
  if (row!.found !== wanted) throw new Error(`${wanted} snapshots of days: found ${row!.found}`)
}
