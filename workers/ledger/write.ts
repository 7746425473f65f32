/**
 * What a fold of the ledger changes, as the statements of its commit: positions and hours go by binary
 * COPY through a stage of the session's own and are merged from there; what is rare has statements of
 * its own, not sent when they have nothing to say.
 */
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { SEGMENT_SWAPS } from '../../streams/ledger/hours.ts'
import type { Batch, DeadLetter } from '../actor.ts'
import { CopyBuffer, copyIn } from '../binary-copy.ts'
import { type Change, type PositionName, SNAPSHOTS_KEPT } from './holding.ts'
import { COPY_HOUR_STAGE, writeHourRow } from './hour-row.ts'
import { COPY_POSITION_STAGE, writePositionRow } from './position-row.ts'
import { pairs } from './store.ts'

const createPositionStage = query('ledger/create_position_stage')
const createHourStage = query('ledger/create_hour_stage')
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

/** Connections that have their stages: those of a failed transaction are closed with it. */
const staged = new WeakSet<Connection>()

/** Finished COPY buffers of the positions and of the hours that changed. */
export function encodeChanges(changes: readonly Change[]): { positions: Buffer; hours: Buffer } {
  const positions = new CopyBuffer(64 + changes.length * 768)
  const hours = new CopyBuffer(64 + changes.length * 320)
  for (const { holding, hours: figures } of changes) {
    const { walletId, tokenId, state } = holding
    writePositionRow(positions, walletId, tokenId, state)
    for (const each of figures) writeHourRow(hours, walletId, tokenId, each)
  }
  return { positions: positions.finish(), hours: hours.finish() }
}

export function ledgerBatch(effects: LedgerEffects): Batch {
  // Encoded before the transaction begins, and before the next batch changes the states.
  const { changes } = effects
  const rows = encodeChanges(changes)
  return {
    eventCount: effects.eventCount,
    deadLetters: effects.deadLetters,
    announce: () => [],
    async write(connection) {
      if (changes.length > 0) await writeChanges(connection, changes, rows)
      await writeOrders(connection, effects)
    },
  }
}

async function writeChanges(
  connection: Connection,
  changes: readonly Change[],
  rows: { positions: Buffer; hours: Buffer },
): Promise<void> {
  if (!staged.has(connection)) {
    await createPositionStage(connection)
    await createHourStage(connection)
    staged.add(connection)
  }
  await deleteReplaced(connection, changes)
  await copyIn(connection, COPY_POSITION_STAGE, rows.positions)
  await mergePositions(connection)
  await copyIn(connection, COPY_HOUR_STAGE, rows.hours)
  await mergeHours(connection)
  await writeLots(connection, changes)
}

async function deleteReplaced(connection: Connection, changes: readonly Change[]): Promise<void> {
  const begun = changes.flatMap(({ holding, again }) =>
    again === undefined ? [] : [{ ...namesOf(holding), ...again }],
  )
  if (begun.length === 0) return
  const segments = begun.map(({ swapCount }) => swapCount / SEGMENT_SWAPS)
  await deleteHoursFrom(connection, [...pairs(begun), segments])
  await deleteSnapshotsFrom(connection, [...pairs(begun), begun.map((each) => each.swapCount)])
  await deleteChunksFrom(connection, [...pairs(begun), begun.map((each) => each.chunk)])
}

const namesOf = ({ walletId, tokenId }: PositionName): PositionName => ({ walletId, tokenId })

/** Sealed chunks and snapshots, and what they make superfluous. */
export async function writeLots(connection: Connection, changes: readonly Change[]): Promise<void> {
  const chunks = changes.flatMap(({ holding, sealed }) =>
    sealed.map((each) => ({ ...namesOf(holding), ...each })),
  )
  if (chunks.length > 0) {
    await insertChunks(connection, [
      ...pairs(chunks),
      chunks.map(({ chunk }) => chunk),
      chunks.map(({ bytes }) => bytes),
    ])
  }
  const snapshots = changes.flatMap(({ holding, snapshots }) =>
    snapshots.map((each) => ({ ...namesOf(holding), ...each })),
  )
  if (snapshots.length === 0) return
  await insertSnapshots(connection, [
    ...pairs(snapshots),
    snapshots.map(({ swapCount }) => swapCount),
    snapshots.map(({ slot }) => slot),
    snapshots.map(({ firstChunk }) => firstChunk),
    snapshots.map(({ bytes }) => bytes),
  ])
  const old = snapshots.map(({ swapCount }) => swapCount - SNAPSHOTS_KEPT * SEGMENT_SWAPS)
  await deleteOldSnapshots(connection, [...pairs(snapshots), old])
  await deleteSpentChunks(connection, pairs(snapshots))
}

async function writeOrders(connection: Connection, effects: LedgerEffects): Promise<void> {
  const { lane, ordered, refolded, audit } = effects
  if (refolded.length > 0) await deleteRefolds(connection, pairs(refolded))
  if (ordered.length > 0) {
    const slots = ordered.map(({ fromSlot }) => fromSlot)
    await insertRefolds(connection, [...pairs(ordered), slots, lane])
    await deleteSnapshotsSince(connection, [...pairs(ordered), slots])
  }
  if (audit === 'begin') await beginAudit(connection, [lane])
  else if (audit === 'end') await deleteAudit(connection, [lane])
  else if (audit !== undefined) await advanceAudit(connection, [lane, audit.nextWalletId])
}
