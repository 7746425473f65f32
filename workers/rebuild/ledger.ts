/**
 * Rebuilds the ledger from the `swap` table only, a page of wallets a transaction.
 *
 * It takes over every lane of the ledger first, as a worker would (live workers lose them: their commits fail), and
 * holds them until it is done; meanwhile FEED is not consumed, and readers see old wallets and new ones, each whole.
 * The commits that it has applied are stored (ledger_cover), so that the lanes skip them when they resume. A rebuild
 * that dies leaves some wallets rebuilt and all rows right; it may be run again.
 */

import type { Log } from '../../domain/log.ts'
import { expectAllStored } from '../../history/sealed/find/stored.ts'
import { allInOrder, type Connection, type Db, inOnePiece, pipelinedBeside } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { BEGIN_SNAPSHOT } from '../../sql/snapshot.ts'
import { type Change, SNAPSHOTS_STORED } from '../ledger/holding.ts'
import { type ReplayPage, replay } from '../ledger/replay.ts'
import { readCover } from '../ledger/store.ts'
import { copyRows, encodeChanges, type FinishedRows, writeLots } from '../ledger/write.ts'
import { type LaneTakeover, withAllLanes } from './lane-takeover.ts'

const deletePositions = query('ledger/delete_positions_between')
const deleteHours = query('ledger/delete_hours_between')
const deleteChunks = query('ledger/delete_chunks_between')
const deleteSnapshots = query('ledger/delete_snapshots_between')
const deleteRecomputes = query('ledger/delete_recomputes_between')
const insertTokenChanges = query('ledger/insert_token_changes')
const deleteAudits = query('ledger/delete_audits')
const mergeCovers = query('ledger/merge_covers')

const REMOVALS = [deletePositions, deleteHours, deleteChunks, deleteSnapshots, deleteRecomputes]

const WALLET_ID_MAX = 2 ** 31 - 1

type RebuildOptions = {
  laneCount: number
  log: Log
  /** Aborted: the lanes are released, the committed pages stay. */
  signal?: AbortSignal
  /** Swaps and positions so far, after each page. */
  onProgress?: (swaps: number, positions: number) => void
}

type RebuildReport = { swaps: number; positions: number }

/** Rejects when the lanes were lost to another rebuild, or the database cannot be had. */
export async function rebuildLedger(db: Db, options: RebuildOptions): Promise<RebuildReport> {
  await expectAllStored(db)
  return withAllLanes(db, 'ledger', options, async (takeover) => {
    const pipelined = pipelinedBeside(db)
    const reader = await db.connect()
    const names = await db.connect()
    const writer = await pipelined.connect()
    try {
      const rebuild = new Rebuild(writer, takeover, options)
      await rebuild.run(reader, names)
      return rebuild.report
    } finally {
      for (const connection of [reader, names, writer]) connection.release(true)
      await pipelined.end()
    }
  })
}

class Rebuild {
  readonly report: RebuildReport = { swaps: 0, positions: 0 }
  private readonly writer: Connection
  private readonly takeover: LaneTakeover
  private readonly options: RebuildOptions
  private doneWalletId = 0
  /** One page is written while the next is folded. */
  private written: Promise<void> = Promise.resolve()

  constructor(writer: Connection, takeover: LaneTakeover, options: RebuildOptions) {
    this.writer = writer
    this.takeover = takeover
    this.options = options
  }

  async run(reader: Connection, names: Connection): Promise<void> {
    await reader.query(BEGIN_SNAPSHOT)
    const cover = await readCover(reader)
    await replay(reader, names, (page) => this.take(page))
    await this.written
    // Waits for the disk, and so for all pages before it.
    await this.inTransaction('on', async () => {
      const poolLanes = cover.map((_, lane) => lane)
      await allInOrder([
        deleteAudits(this.writer),
        insertTokenChanges(this.writer),
        mergeCovers(this.writer, [this.options.laneCount, poolLanes, cover]),
      ])
    })
  }

  private async take(page: ReplayPage): Promise<void> {
    const fromWalletId = this.doneWalletId
    const toWalletId = Math.min(page.lastWalletId, WALLET_ID_MAX)
    this.doneWalletId = toWalletId
    const rows = encodeChanges(page.changes, 0).fresh
    await this.written
    this.written = this.inTransaction('off', () =>
      this.replace(fromWalletId, toWalletId, page, rows),
    )
    this.written.catch(() => {})
  }

  private async replace(
    fromWalletId: number,
    toWalletId: number,
    page: ReplayPage,
    rows: FinishedRows,
  ): Promise<void> {
    await allInOrder([
      ...REMOVALS.map((remove) => remove(this.writer, [fromWalletId, toWalletId])),
      ...copyRows(this.writer, rows),
      ...writeLots(this.writer, page.changes.map(withoutSpentChunks)),
    ])
    this.report.swaps += page.swapCount
    this.report.positions += page.changes.length
    this.options.onProgress?.(this.report.swaps, this.report.positions)
  }

  /**
   * A page is written by the owner of all lanes or not at all. Up to the commit no statement waits for an answer, so
   * that folding the next page overlaps with writing.
   */
  private async inTransaction(
    synchronousCommit: 'on' | 'off',
    write: () => Promise<void>,
  ): Promise<void> {
    const { writer, takeover } = this
    await inOnePiece(writer, () =>
      allInOrder([
        writer.query('begin'),
        writer.query(`set local synchronous_commit = ${synchronousCommit}`),
        takeover.hold(writer),
        write(),
      ]),
    )
    await writer.query('commit')
  }
}

/** Drops the sealed chunks that no stored snapshot reads back, as the lanes do. */
export function withoutSpentChunks(change: Change): Change {
  const oldest = change.snapshots.at(-SNAPSHOTS_STORED) ?? change.snapshots[0]
  if (oldest === undefined) return change
  return { ...change, sealed: change.sealed.filter(({ chunk }) => chunk >= oldest.firstChunk) }
}
