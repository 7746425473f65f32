/**
 * What a fold of the ledger changes, as the statements of its commit. Positions and hours that no row is
 * stored of go into their tables by binary COPY; the others, and all where they are few, go as one parameter
 * and are merged: whatever the planner knows of the tables, each is one look-up of the primary key. What is rare
 * has statements of its own, not sent when they have nothing to say. All are begun at once, in the order in which
 * they are to be carried out (flight.ts).
 */
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { type HourFigures, SEGMENT_SWAPS } from '../../streams/ledger/hours.ts'
import type { Batch } from '../actor.ts'
import { CopyBuffer, copyIn } from '../binary-copy.ts'
import type { DeadLetter } from '../dead-letter.ts'
import { allInOrder } from '../flight.ts'
import { rowArray } from '../row-array.ts'
import { type Change, type Holding, type PositionName, SNAPSHOTS_KEPT } from './holding.ts'
import { COPY_HOURS, HOUR_COLUMNS, writeHourRow } from './hour-row.ts'
import { COPY_POSITIONS, POSITION_COLUMNS, writePositionRow } from './position-row.ts'
import { pairs } from './store.ts'

const findRowTypes = query<RowTypes>('ledger/find_row_types')
const mergePositions = query('ledger/merge_positions')
const mergeHours = query('ledger/merge_hours')
const deleteHoursFrom = query('ledger/delete_hours_from')
const deleteSnapshotsFrom = query('ledger/delete_snapshots_from')
const deleteSnapshotsSince = query('ledger/delete_snapshots_since')
const deleteChunksFrom = query('ledger/delete_chunks_from')
const deleteOldSnapshots = query('ledger/delete_old_snapshots')
const deleteSpentChunks = query('ledger/delete_spent_chunks')
const insertSnapshots = query('ledger/insert_snapshots')
const insertChunks = query('ledger/insert_chunks')
const insertRefolds = query('ledger/insert_refolds')
const deleteRefolds = query('ledger/delete_refolds')
const beginAudit = query('ledger/begin_audit')
const advanceAudit = query('ledger/advance_audit')
const deleteAudit = query('ledger/delete_audit')

/** A position that is to be folded again in the background, from a slot on. */
export type RefoldOrder = PositionName & { fromSlot: number }

export type LedgerEffects = {
  lane: number
  eventCount: number
  changes: Change[]
  ordered: RefoldOrder[]
  /** Positions whose order is carried out. */
  refolded: PositionName[]
  /** What becomes of the lane's audit: it begins, goes on from a wallet, or ends. */
  audit: 'begin' | 'end' | { nextWalletId: number } | undefined
  deadLetters: DeadLetter[]
}

export const noEffects = (lane: number): LedgerEffects => ({
  lane,
  eventCount: 0,
  changes: [],
  ordered: [],
  refolded: [],
  audit: undefined,
  deadLetters: [],
})

/** The types of the tables' rows, by their oids in this database. */
export type RowTypes = { position: number; position_hour: number }

const rowTypes = new WeakMap<Db, RowTypes>()

/** They are asked for once: a table is never made anew. */
export async function rowTypesOf(db: Db): Promise<RowTypes> {
  const known = rowTypes.get(db)
  if (known !== undefined) return known
  const [found] = await findRowTypes(db)
  rowTypes.set(db, found!)
  return found!
}

/** Finished rows of positions and of hours; undefined where there are none. */
export type FinishedRows = { positions: Buffer | undefined; hours: Buffer | undefined }

/** Below so many changes two statements more cost more than they spare. */
const BULK_CHANGES_MIN = 100
/** What rows take, rather more than less. */
const POSITION_BYTES = 960
const HOUR_BYTES = 416

/** Rows under way to a COPY, or, where types are told, to a parameter. */
class Rows {
  private positions: CopyBuffer | undefined
  private hours: CopyBuffer | undefined
  private readonly room: number
  private readonly types: RowTypes | undefined

  /** `room`: rows that there will be, about. */
  constructor(room: number, types?: RowTypes) {
    this.room = room
    this.types = types
  }

  add({ holding, hours }: Change): void {
    this.addPosition(holding)
    this.addHours(holding, hours)
  }

  addPosition({ walletId, tokenId, state }: Holding): void {
    this.positions ??= this.begin(POSITION_BYTES, this.types?.position, POSITION_COLUMNS)
    writePositionRow(this.positions, walletId, tokenId, state)
  }

  addHours({ walletId, tokenId }: PositionName, hours: readonly HourFigures[]): void {
    this.hours ??= this.begin(HOUR_BYTES, this.types?.position_hour, HOUR_COLUMNS)
    for (const figures of hours) writeHourRow(this.hours, walletId, tokenId, figures)
  }

  private begin(rowBytes: number, type: number | undefined, columns: readonly number[]) {
    const bytes = this.room * rowBytes
    return type === undefined ? new CopyBuffer(bytes) : rowArray(bytes, type, columns)
  }

  finish(): FinishedRows {
    return { positions: this.positions?.finish(), hours: this.hours?.finish() }
  }
}

/** Positions of which no row is stored, and so no hour, for copyRows(). */
export function encodeFresh(changes: readonly Change[]): FinishedRows {
  const rows = new Rows(changes.length)
  for (const change of changes) rows.add(change)
  return rows.finish()
}

/** `fresh`: rows of which none is stored; there are none where changes are few. */
type CommitRows = { fresh: FinishedRows; known: FinishedRows }

function encodeChanges(changes: readonly Change[], types: RowTypes): CommitRows {
  const fresh = new Rows(changes.length)
  const known = new Rows(changes.length, types)
  const isBulk = changes.length >= BULK_CHANGES_MIN
  for (const change of byWallet(changes)) {
    const { holding, hours, rowBefore, again } = change
    if (isBulk && rowBefore === 'none') fresh.add(change)
    else {
      known.addPosition(holding)
      // Of a position that is folded again the hours are taken out first: none is left to be added to.
      ;(isBulk && again !== undefined ? fresh : known).addHours(holding, hours)
    }
  }
  return { fresh: fresh.finish(), known: known.finish() }
}

/** Times as many as ids of wallets, 2^31, these are safe integers. */
const PLACES = 2 ** 22

/**
 * In the order of wallets, as the primary keys have them: what is looked up and written one after the other lies
 * close together. Ids with places behind them, as the engine sorts plain numbers fast.
 */
function byWallet(changes: readonly Change[]): readonly Change[] {
  if (changes.length > PLACES) return changes
  const keys = Float64Array.from(changes, ({ holding }, place) => holding.walletId * PLACES + place)
  return Array.from(keys.sort(), (key) => changes[key % PLACES]!)
}

/** `types`: rowTypesOf() the database that the batch is for. */
export function ledgerBatch(effects: LedgerEffects, types: RowTypes): Batch {
  // Encoded before the transaction begins, and before the next batch changes the states.
  const { changes } = effects
  const rows = encodeChanges(changes, types)
  return {
    eventCount: effects.eventCount,
    deadLetters: effects.deadLetters,
    announce: () => [],
    write: (connection) =>
      allInOrder([
        ...(changes.length > 0 ? writeChanges(connection, changes, rows) : []),
        ...writeOrders(connection, effects),
      ]),
  }
}

function* writeChanges(
  connection: Connection,
  changes: readonly Change[],
  { fresh, known }: CommitRows,
): Generator<Promise<unknown>> {
  yield* deleteReplaced(connection, changes)
  yield* copyRows(connection, fresh)
  if (known.positions !== undefined) yield mergePositions(connection, [known.positions])
  if (known.hours !== undefined) yield mergeHours(connection, [known.hours])
  yield* writeLots(connection, changes)
}

/** Rows of which none is stored. */
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
  const segments = begun.map(({ swapCount }) => swapCount / SEGMENT_SWAPS)
  yield deleteHoursFrom(connection, [...pairs(begun), segments])
  yield deleteSnapshotsFrom(connection, [...pairs(begun), begun.map((each) => each.swapCount)])
  yield deleteChunksFrom(connection, [...pairs(begun), begun.map((each) => each.chunk)])
}

const namesOf = ({ walletId, tokenId }: PositionName): PositionName => ({ walletId, tokenId })

/** Sealed chunks and snapshots, and what they make superfluous. */
export function* writeLots(
  connection: Connection,
  changes: readonly Change[],
): Generator<Promise<unknown>> {
  // Most changes have none of either: passed over before lists are made of them.
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
  const old = snapshots.map(({ swapCount }) => swapCount - SNAPSHOTS_KEPT * SEGMENT_SWAPS)
  yield deleteOldSnapshots(connection, [...pairs(snapshots), old])
  yield deleteSpentChunks(connection, pairs(snapshots))
}

function* writeOrders(connection: Connection, effects: LedgerEffects): Generator<Promise<unknown>> {
  const { lane, ordered, refolded, audit } = effects
  if (refolded.length > 0) yield deleteRefolds(connection, pairs(refolded))
  if (ordered.length > 0) {
    const slots = ordered.map(({ fromSlot }) => fromSlot)
    yield insertRefolds(connection, [...pairs(ordered), slots, lane])
    yield deleteSnapshotsSince(connection, [...pairs(ordered), slots])
  }
  if (audit === 'begin') yield beginAudit(connection, [lane])
  else if (audit === 'end') yield deleteAudit(connection, [lane])
  else if (audit !== undefined) yield advanceAudit(connection, [lane, audit.nextWalletId])
}
