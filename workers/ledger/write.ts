/**
 * Writes a fold of the ledger as the statements of its commit. Positions and hours without a stored row go into their
 * tables by binary COPY; the others, and all where they are few, go by COPY through a temporary table of the session
 * and are merged: whatever statistics the planner has, each is one look-up of the primary key. Rare changes have
 * separate statements, which are not sent without rows. All are begun at once, in the order in which they are to be
 * carried out (allInOrder).
 */

import { SEGMENT_SWAPS } from '../../domain/ledger/hours.ts'
import { beginAudit } from '../../history/swaps/newest.ts'
import { CopyBuffer, copyIn } from '../../sql/binary/copy-writer.ts'
import type { Connection } from '../../sql/db.ts'
import { allInOrder } from '../../sql/db.ts'
import { pooledClientOf } from '../../sql/driver/pooler.ts'
import { query } from '../../sql/query.ts'
import type { Batch } from '../runtime/actor.ts'
import type { DeadLetter } from '../runtime/dead-letter.ts'
import type { Ahead } from '../runtime/pacing/reorder-buffer.ts'
import {
  type DaySnapshot,
  isWithinSegment,
  restoreHours,
  writeDaySnapshots,
} from './day-snapshots.ts'
import { type Change, type PositionName, SNAPSHOTS_STORED } from './holding.ts'
import { COPY_HOUR_STAGE, COPY_HOURS, writeHourRow } from './rows/hour-row.ts'
import { COPY_POSITION_STAGE, COPY_POSITIONS, writePositionRow } from './rows/position-row.ts'
import { pairs } from './store.ts'

const createPositionStage = query('ledger/create_position_stage')
const createHourStage = query('ledger/create_hour_stage')
const mergePositions = query('ledger/merge_positions')
const mergeHours = query('ledger/merge_hours')
const deletePositions = query('ledger/delete_positions')
const deleteHoursFrom = query('ledger/delete_hours_from')
const deleteSnapshotsFrom = query('ledger/delete_snapshots_from')
const deleteSnapshotsSince = query('ledger/delete_snapshots_since')
const deleteChunksFrom = query('ledger/delete_chunks_from')
const deleteOldSnapshots = query('ledger/delete_old_snapshots')
const deleteSpentChunks = query('ledger/delete_spent_chunks')
const insertSnapshots = query('ledger/insert_snapshots')
const insertChunks = query('ledger/insert_chunks')
const insertRecomputes = query('ledger/insert_recomputes')
const deleteRecomputes = query('ledger/delete_recomputes')
const claimRecomputes = query('ledger/claim_recomputes')
const advanceAudit = query('ledger/advance_audit')
const deleteAudit = query('ledger/delete_audit')
const mergeAhead = query('ledger/merge_ahead')
const mergeRefusals = query('history-runs/merge_refusals')

/** A position that is to be recomputed in the background, from a slot on. */
type RecomputeOrder = PositionName & {
  fromSlot: number
  /** Unix ms of the earliest retracted swap; absent: none was retracted. */
  retractedMs?: number
}

/** `user`: the wallet's address. */
type RefusedSwaps = { readonly user: string; readonly slot: number; readonly count: number }

export type LedgerEffects = {
  lane: number
  eventCount: number
  changes: Change[]
  daySnapshots: DaySnapshot[]
  ordered: RecomputeOrder[]
  /** Positions whose queued recompute is done. */
  recomputed: PositionName[]
  /** Positions of which no swap is left. */
  emptied: PositionName[]
  /** Swaps that positions lack, because they would be recomputed from swaps that were dropped. */
  refused: RefusedSwaps[]
  /** Next state of the lane's audit: it begins, continues after these of its wallets, or ends. */
  audit: 'begin' | 'end' | { nextWalletId: number; walletIds: number[] } | undefined
  /** Swaps already applied of messages that are to be read again. */
  ahead: Ahead | undefined
  deadLetters: DeadLetter[]
}

export const noEffects = (lane: number): LedgerEffects => ({
  lane,
  eventCount: 0,
  changes: [],
  daySnapshots: [],
  ordered: [],
  recomputed: [],
  emptied: [],
  refused: [],
  audit: undefined,
  ahead: undefined,
  deadLetters: [],
})

/** Connections with temporary tables: a failed transaction closes its connection. */
const staged = new WeakSet<Connection>()

/** Finished COPY buffers of positions and of hours; undefined without rows. */
export type FinishedRows = { positions: Buffer | undefined; hours: Buffer | undefined }

/** Rows under way to a COPY. */
class Rows {
  private positions: CopyBuffer | undefined
  private hours: CopyBuffer | undefined
  private readonly room: number

  /** `room`: rows that there will be, about. */
  constructor(room: number) {
    this.room = room
  }

  addPosition({ holding: { walletId, tokenId, state } }: Change): void {
    this.positions ??= new CopyBuffer(this.room * POSITION_BYTES)
    writePositionRow(this.positions, walletId, tokenId, state)
  }

  addHours({ holding: { walletId, tokenId }, hours }: Change): void {
    this.hours ??= new CopyBuffer(this.room * HOUR_BYTES)
    for (const figures of hours) writeHourRow(this.hours, walletId, tokenId, figures)
  }

  finish(): FinishedRows {
    return { positions: this.positions?.finish(), hours: this.hours?.finish() }
  }
}

/** Below so many changes two statements more cost more than they spare. */
const BULK_CHANGES_MIN = 100
/** Upper estimates of the sizes of rows. */
const POSITION_BYTES = 768
const HOUR_BYTES = 320

/** `fresh`: rows that are not stored yet; empty where changes are few. */
type CommitRows = { fresh: FinishedRows; known: FinishedRows }

export function encodeChanges(
  changes: readonly Change[],
  bulkMin: number = BULK_CHANGES_MIN,
): CommitRows {
  const isBulk = changes.length >= bulkMin
  const freshCount = isBulk ? changes.reduce((sum, { wasNew }) => sum + Number(wasNew), 0) : 0
  const fresh = new Rows(freshCount)
  const known = new Rows(changes.length - freshCount)
  for (const change of byWallet(changes)) {
    const { wasNew, again } = change
    const isFresh = isBulk && wasNew
    // The hours of a position that is recomputed from between segments are deleted first: no row is left to merge into.
    const isReplaced = again !== undefined && !isWithinSegment(again)
    const hasFreshHours = isFresh || (isBulk && isReplaced)
    ;(isFresh ? fresh : known).addPosition(change)
    ;(hasFreshHours ? fresh : known).addHours(change)
  }
  return { fresh: fresh.finish(), known: known.finish() }
}

/** Times as many as ids of wallets, 2^31, these are safe integers. */
const INDEX_RANGE = 2 ** 22

/**
 * In the order of wallets, as the primary keys have them: rows that are read and written one after another are close
 * together. Sorts ids combined with indexes, because the engine sorts plain numbers fast.
 */
function byWallet(changes: readonly Change[]): readonly Change[] {
  if (changes.length > INDEX_RANGE) return changes
  const keys = new Float64Array(changes.length)
  for (let at = 0; at < keys.length; at++) {
    keys[at] = changes[at]!.holding.walletId * INDEX_RANGE + at
  }
  keys.sort()
  const sorted = new Array<Change>(changes.length)
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!
    // The engine's own rest of a division of doubles costs several times as much.
    sorted[index] = changes[key - Math.floor(key / INDEX_RANGE) * INDEX_RANGE]!
  }
  return sorted
}

export function ledgerBatch(effects: LedgerEffects): Batch {
  // Encoded before the transaction begins, and before the next batch changes the states.
  const { changes, daySnapshots } = effects
  const rows = encodeChanges(changes)
  return {
    eventCount: effects.eventCount,
    deadLetters: effects.deadLetters,
    refusedCount: countOf(effects.refused),
    publish: () => [],
    write: (connection) =>
      allInOrder([
        ...(daySnapshots.length > 0 ? [writeDaySnapshots(connection, daySnapshots)] : []),
        ...(changes.length > 0 ? writeChanges(connection, changes, rows) : []),
        ...deleteEmptied(connection, effects.emptied),
        ...writeOrders(connection, effects),
      ]),
  }
}

function* writeChanges(
  connection: Connection,
  changes: readonly Change[],
  { fresh, known }: CommitRows,
): Generator<Promise<unknown>> {
  if (!staged.has(connection) || pooledClientOf(connection) !== undefined) {
    yield createPositionStage(connection)
    yield createHourStage(connection)
    staged.add(connection)
  }
  yield* deleteReplaced(connection, changes)
  yield* copyRows(connection, fresh)
  if (known.positions !== undefined) {
    yield copyIn(connection, COPY_POSITION_STAGE, known.positions)
    yield mergePositions(connection)
  }
  if (known.hours !== undefined) {
    yield copyIn(connection, COPY_HOUR_STAGE, known.hours)
    yield mergeHours(connection)
  }
  yield* writeLots(connection, changes)
}

/** Rows that are not stored yet. */
export function* copyRows(
  connection: Connection,
  { positions, hours }: FinishedRows,
): Generator<Promise<unknown>> {
  if (positions !== undefined) yield copyIn(connection, COPY_POSITIONS, positions)
  if (hours !== undefined) yield copyIn(connection, COPY_HOURS, hours)
}

function* deleteReplaced(
  connection: Connection,
  changes: readonly Change[],
): Generator<Promise<unknown>> {
  const begun = changes.flatMap(({ holding, again }) =>
    again === undefined ? [] : [{ ...namesOf(holding), ...again }],
  )
  if (begun.length === 0) return
  const segments = begun.map(({ swapCount }) => Math.floor(swapCount / SEGMENT_SWAPS))
  yield deleteHoursFrom(connection, [...pairs(begun), segments])
  yield deleteSnapshotsFrom(connection, [...pairs(begun), begun.map((each) => each.swapCount)])
  yield deleteChunksFrom(connection, [...pairs(begun), begun.map((each) => each.chunk)])
  const from = begun.filter(({ swapCount }) => swapCount > 0)
  if (from.length > 0) yield restoreHours(connection, from)
}

const namesOf = ({ walletId, tokenId }: PositionName): PositionName => ({ walletId, tokenId })

/** Sealed chunks and snapshots, and deletes of the rows that they supersede. */
export function* writeLots(
  connection: Connection,
  changes: readonly Change[],
): Generator<Promise<unknown>> {
  // Most changes have neither: they are skipped before lists are made.
  const sealing = changes.filter(({ sealed }) => sealed.length > 0)
  const chunks = sealing.flatMap(({ holding, sealed }) =>
    sealed.map((each) => ({ ...namesOf(holding), ...each })),
  )
  if (chunks.length > 0) {
    yield insertChunks(connection, [
      ...pairs(chunks),
      chunks.map(({ chunk }) => chunk),
      chunks.map(({ bytes }) => bytes),
    ])
  }
  const ending = changes.filter(({ snapshots }) => snapshots.length > 0)
  const snapshots = ending.flatMap(({ holding, snapshots }) =>
    snapshots.map((each) => ({ ...namesOf(holding), ...each })),
  )
  if (snapshots.length === 0) return
  yield insertSnapshots(connection, [
    ...pairs(snapshots),
    snapshots.map(({ swapCount }) => swapCount),
    snapshots.map(({ slot }) => slot),
    snapshots.map(({ firstChunk }) => firstChunk),
    snapshots.map(({ bytes }) => bytes),
  ])
  const old = snapshots.map(({ swapCount }) => swapCount - SNAPSHOTS_STORED * SEGMENT_SWAPS)
  yield deleteOldSnapshots(connection, [...pairs(snapshots), old])
  yield deleteSpentChunks(connection, pairs(snapshots))
}

function* deleteEmptied(
  connection: Connection,
  emptied: readonly PositionName[],
): Generator<Promise<unknown>> {
  if (emptied.length === 0) return
  const all = emptied.map(() => 0)
  const beforeAll = emptied.map(() => -1)
  yield deletePositions(connection, pairs(emptied))
  yield deleteHoursFrom(connection, [...pairs(emptied), all])
  yield deleteSnapshotsFrom(connection, [...pairs(emptied), beforeAll])
  yield deleteChunksFrom(connection, [...pairs(emptied), all])
}

const countOf = (refused: readonly RefusedSwaps[]): number =>
  refused.reduce((sum, { count }) => sum + count, 0)

function* writeOrders(connection: Connection, effects: LedgerEffects): Generator<Promise<unknown>> {
  const { lane, ordered, recomputed, refused, audit, ahead } = effects
  const newest = refused.at(-1)
  if (newest !== undefined) {
    const { slot, user } = newest
    yield mergeRefusals(connection, ['position', lane, countOf(refused), slot, user])
  }
  if (ahead !== undefined) yield mergeAhead(connection, [lane, ahead.sequence, ahead.slot])
  if (recomputed.length > 0) yield deleteRecomputes(connection, pairs(recomputed))
  if (ordered.length > 0) {
    const slots = ordered.map(({ fromSlot }) => fromSlot)
    const retracted = ordered.map(({ retractedMs }) => retractedMs ?? null)
    yield insertRecomputes(connection, [...pairs(ordered), slots, lane, retracted])
    yield deleteSnapshotsSince(connection, [...pairs(ordered), slots])
  }
  if (audit === 'begin') yield beginAudit(connection, lane)
  else if (audit === 'end') yield deleteAudit(connection, [lane])
  else if (audit !== undefined) {
    yield claimRecomputes(connection, [lane, audit.walletIds])
    yield advanceAudit(connection, [lane, audit.nextWalletId])
  }
}
