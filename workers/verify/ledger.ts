/**
 * Folds every position afresh from the stored swaps, wallet by wallet, and compares positions, their
 * lots, their hours and their snapshots with the stored ones, all in one snapshot of the database.
 */

import type { PositionState } from '../../domain/ledger/position.ts'
import { counted } from '../../domain/text/plural.ts'
import type { Since } from '../../history/sealed/state.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { BEGIN_SNAPSHOT } from '../../sql/snapshot.ts'
import { type Change, type Holding, holdingName } from '../ledger/holding.ts'
import { type ReplayPage, replay } from '../ledger/replay.ts'
import { type HourRow, hourText } from '../ledger/rows/hour-row.ts'
import { packState } from '../ledger/rows/packed-position.ts'
import { asStored, type PositionRow, positionOfRow } from '../ledger/rows/position-row.ts'
import { withoutSpentChunks } from '../rebuild/ledger.ts'
import { type TableReport, UnorderedComparison } from './comparison.ts'

type SnapshotName = { id: string }
type ChunkRow = { wallet_id: number; token_id: number; chunk: number; lots: Buffer }
type SnapshotRow = {
  wallet_id: number
  token_id: number
  swap_count: number
  slot: number
  first_chunk: number
  state: Buffer
  /** A snapshot within a segment, which depends on when swaps arrived. */
  is_of_day: boolean
}
type OfPosition = { wallet_id: number; token_id: number }

const exportSnapshot = query<SnapshotName>('verify/export_snapshot')
const findLedger = query<{ has_ledger: boolean }>('verify/find_ledger')
const listPositions = query<PositionRow>('verify/list_positions')
const listHours = query<HourRow>('verify/list_hours')
const listChunks = query<ChunkRow>('verify/list_chunks')
const listSnapshots = query<SnapshotRow>('verify/list_snapshots')
const countWaiting = query<{ recomputes: number; audits: number }>('verify/count_recomputes')
const listMints = query<{ id: number; address: string }>('verify/list_mints')

const WALLET_ID_MAX = 2 ** 31 - 1

/**
 * Reads in the snapshot of `connection`, which is in a repeatable read transaction. Reports no tables where no ledger
 * has ever run. `unread`: swaps of the snapshot that the ledger has not read; reported first. `since`: where stored swaps begin; positions
 * that are older are not compared, but counted as `notHeld`.
 */
export async function verifyLedger(
  db: Db,
  connection: Connection,
  unread: number,
  since: Since | undefined,
): Promise<{ tables: TableReport[]; notHeld: number }> {
  const [ledger] = await findLedger(connection)
  if (ledger?.has_ledger !== true) return { tables: [], notHeld: 0 }
  const beside = await db.connect()
  try {
    const [snapshot] = await exportSnapshot(connection)
    await beside.query(BEGIN_SNAPSHOT)
    await beside.query(`set transaction snapshot '${snapshot?.id}'`)
    const verification = new LedgerVerification(beside, since?.ms ?? 0)
    await verification.begin(unread)
    await replay(connection, beside, (page) => verification.compare(page))
    return { tables: verification.end(), notHeld: verification.notHeld }
  } finally {
    beside.release(true)
  }
}

class LedgerVerification {
  private readonly connection: Connection
  private readonly positions = new UnorderedComparison('position')
  private readonly lots = new UnorderedComparison('lot_chunk')
  private readonly hours = new UnorderedComparison('position_hour')
  private readonly snapshots = new UnorderedComparison('position_snapshot')
  private readonly mints = new Map<number, string>()
  private doneWalletId = 0
  /** Positions of the page that swaps were dropped of. */
  private old: ReadonlySet<string> = new Set()
  private readonly sinceMs: number
  notHeld = 0

  constructor(connection: Connection, sinceMs: number) {
    this.connection = connection
    this.sinceMs = sinceMs
  }

  async begin(unread: number): Promise<void> {
    const [waiting] = await countWaiting(this.connection)
    const { recomputes = 0, audits = 0 } = waiting ?? {}
    const advice = 'verify again when `status --wait` returns'
    const reasons = [
      ...(unread > 0 ? [`the ledger has not read ${counted(unread, 'swap')} yet: ${advice}`] : []),
      ...(recomputes > 0 ? [`waiting to be recomputed: ${counted(recomputes, 'position')}`] : []),
      ...(audits > 0 ? [`still being counted: ${counted(audits, 'lane')}`] : []),
    ]
    if (reasons.length > 0) this.explain(reasons.join('; '))
    for (const row of await listMints(this.connection)) this.mints.set(row.id, row.address)
  }

  /** Positions differ by the reason itself, the other tables where a row does. */
  private explain(reason: string): void {
    this.positions.differ(reason)
    for (const table of [this.positions, this.lots, this.hours, this.snapshots]) {
      table.explain(reason)
    }
  }

  async compare({ changes, lastWalletId }: ReplayPage): Promise<void> {
    const range = [this.doneWalletId, Math.min(lastWalletId, WALLET_ID_MAX)]
    this.doneWalletId = Math.min(lastWalletId, WALLET_ID_MAX)
    const positions = await listPositions(this.connection, range)
    const old = positions.filter((row) => row.first_trade_ms < this.sinceMs)
    this.old = new Set(old.map(nameOfRow))
    this.notHeld += old.length
    const folded = new Map(
      changes
        .map((change) => [holdingName(change.holding), change] as const)
        .filter(([name]) => !this.old.has(name)),
    )
    const snapshots = this.held(await listSnapshots(this.connection, range))
    this.comparePositions(folded, this.held(positions))
    this.compareHours(folded, this.held(await listHours(this.connection, range)))
    const chunks = this.held(await listChunks(this.connection, range))
    this.compareChunks(folded, withoutThoseOfDays(chunks, snapshots))
    this.compareSnapshots(
      folded,
      snapshots.filter(({ is_of_day }) => !is_of_day),
    )
  }

  /** Rows of positions of which no swap was dropped. */
  private held<Row extends OfPosition>(rows: readonly Row[]): Row[] {
    return rows.filter((row) => !this.old.has(nameOfRow(row)))
  }

  end(): TableReport[] {
    const { positions, lots, hours, snapshots } = this
    return [positions, lots, hours, snapshots].map((comparison) => comparison.report())
  }

  /** `wallet mint`, or ids where the fold knows of no such position. */
  private nameOf(holding: Holding): string {
    return `${holding.state.last?.user} ${this.mints.get(holding.tokenId)}`
  }

  private comparePositions(
    folded: ReadonlyMap<string, Change>,
    rows: readonly PositionRow[],
  ): void {
    const left = new Map(folded)
    for (const row of rows) {
      const key = holdingName({ walletId: row.wallet_id, tokenId: row.token_id })
      const change = left.get(key)
      left.delete(key)
      if (change === undefined) {
        this.positions.row(`position ${key}`, counted(row.swap_count, 'swap'), undefined)
        continue
      }
      const { state } = change.holding
      const stored = positionOfRow(row, state.last?.user ?? '')
      this.positions.row(this.nameOf(change.holding), stateText(stored), rowText(state))
    }
    for (const { holding } of left.values()) {
      this.positions.row(this.nameOf(holding), undefined, rowText(holding.state))
    }
  }

  private compareHours(folded: ReadonlyMap<string, Change>, rows: readonly HourRow[]): void {
    compareRows(
      this.hours,
      [...folded.values()].flatMap(({ holding, hours }) =>
        hours.map((figures) => ({
          holding,
          rowKey: `${figures.hourMs} ${figures.segment}`,
          text: hourText(figures),
        })),
      ),
      rows.map((row) => ({ ...row, rowKey: `${row.hour_ms} ${row.segment}`, text: row.figures })),
      (holding) => this.nameOf(holding),
    )
  }

  private compareChunks(folded: ReadonlyMap<string, Change>, rows: readonly ChunkRow[]): void {
    compareRows(
      this.lots,
      [...folded.values()].flatMap((change) =>
        withoutSpentChunks(change).sealed.map(({ chunk, bytes }) => ({
          holding: change.holding,
          rowKey: `${chunk}`,
          text: bytes.toString('base64'),
        })),
      ),
      rows.map((row) => ({ ...row, rowKey: `${row.chunk}`, text: row.lots.toString('base64') })),
      (holding) => this.nameOf(holding),
    )
  }

  /** Where folding again begins: one that is wrong is a wrong position with the next late swap. */
  private compareSnapshots(
    folded: ReadonlyMap<string, Change>,
    rows: readonly SnapshotRow[],
  ): void {
    const textOf = (slot: number, firstChunk: number, state: Buffer): string =>
      `${slot} ${firstChunk} ${state.toString('base64')}`
    compareRows(
      this.snapshots,
      [...folded.values()].flatMap(({ holding, snapshots }) =>
        snapshots.map(({ swapCount, slot, firstChunk, bytes }) => ({
          holding,
          rowKey: `${swapCount}`,
          text: textOf(slot, firstChunk, bytes),
        })),
      ),
      rows.map((row) => ({
        ...row,
        rowKey: `${row.swap_count}`,
        text: textOf(row.slot, row.first_chunk, row.state),
      })),
      (holding) => this.nameOf(holding),
    )
  }
}

const nameOfRow = ({ wallet_id, token_id }: OfPosition): string =>
  holdingName({ walletId: wallet_id, tokenId: token_id })

/** Chunks but for those that only snapshots of days refer to. */
function withoutThoseOfDays(
  chunks: readonly ChunkRow[],
  snapshots: readonly SnapshotRow[],
): ChunkRow[] {
  const firsts = new Map<string, number>()
  for (const row of snapshots) {
    if (row.is_of_day) continue
    const name = nameOfRow(row)
    firsts.set(name, Math.min(firsts.get(name) ?? row.first_chunk, row.first_chunk))
  }
  return chunks.filter((row) => row.chunk >= (firsts.get(nameOfRow(row)) ?? 0))
}

type FoldedRow = { holding: Holding; rowKey: string; text: string }
type StoredRow = { wallet_id: number; token_id: number; rowKey: string; text: string }

/** Compares the tables that have several rows a position, by their keys. */
function compareRows(
  comparison: UnorderedComparison,
  folded: readonly FoldedRow[],
  stored: readonly StoredRow[],
  nameOf: (holding: Holding) => string,
): void {
  const left = new Map(folded.map((row) => [`${holdingName(row.holding)} ${row.rowKey}`, row]))
  for (const row of stored) {
    const position = holdingName({ walletId: row.wallet_id, tokenId: row.token_id })
    const key = `${position} ${row.rowKey}`
    const of = left.get(key)
    left.delete(key)
    const name = of === undefined ? `position ${key}` : `${nameOf(of.holding)} ${of.rowKey}`
    comparison.row(name, row.text, of?.text)
  }
  for (const { holding, rowKey, text } of left.values()) {
    comparison.row(`${nameOf(holding)} ${rowKey}`, undefined, text)
  }
}

/** The text of a folded state, as far as a row holds it. */
const rowText = (state: PositionState): string => stateText(asStored(state))

/** Figures first, for people; then all of the state, lots included. */
function stateText(state: PositionState): string {
  const { swapCount, balance, basis, realizedStrict, realizedAdjusted } = state
  const figures = { swapCount, balance, basis, realizedStrict, realizedAdjusted }
  const shown = Object.entries(figures).map(([name, value]) => `${name}:${value}`)
  return `${shown.join(' ')} ${packState(state).toString('base64')}`
}
