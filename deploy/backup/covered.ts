/**
 * Coverage in a backup. The table counts slots whose events are stored in SWAP, which is not part of a backup: it may be
 * ahead of the tables.
 *
 * Law: a backup lists the runs of one moment, and copies the database after pool lanes have read what SWAP held then.
 * `restore` puts these runs back, so every slot that a restored database counts has its events in the tables, and a
 * source or `backfill` reads all others again.
 * Decision: docs/decisions/0062-a-backup-is-the-database-and-its-keys.md
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type CoverageRow, listCoverageRows } from '../../sql/coverage.ts'
import { type Db, inTransaction } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { Topology } from '../../streams/nats/topology.ts'
import { counted } from '../cli/format.ts'
import { listLanes } from '../operations/lanes.ts'

type Streams = { db: Db; jetStream: JetStream; topology: Topology }

const deleteCoverage = query('recovery/delete_coverage')
const insertCoverage = query('recovery/insert_coverage')
const deleteUncoveredBlocks = query('recovery/delete_uncovered_blocks')

const POLL_MS = 100
const BOUND_MS = 300_000

/** Resolves when pool lanes have read what SWAP holds at the call: the runs, and that moment. */
export async function coveredAndRead(
  { db, jetStream, topology }: Streams,
  signal: AbortSignal,
  onLeft: (messages: number) => void,
): Promise<{ covered: CoverageRow[]; readUpToMs: number }> {
  const covered = await listCoverageRows(db)
  const readUpToMs = Date.now()
  const lanes = async () =>
    (await listLanes(db, jetStream, topology)).filter(({ actor }) => actor === 'pool')
  const heads = new Map((await lanes()).map(({ lane, head }) => [lane, head]))
  const endsAt = performance.now() + BOUND_MS
  for (;;) {
    const lags = (await lanes()).map(({ lane, sequence }) => (heads.get(lane) ?? 0) - sequence)
    const left = lags.reduce((sum, each) => sum + Math.max(0, each), 0)
    if (left === 0) return { covered, readUpToMs }
    if (performance.now() > endsAt) {
      throw new Error(
        `pool lanes have not read ${counted(left, 'message')} of SWAP within ${BOUND_MS / 1000} s: see "swaptide ` +
          'status", or copy the database as it is with "swaptide pg-basebackup"',
      )
    }
    signal.throwIfAborted()
    onLeft(left)
    await pause(POLL_MS)
  }
}

/** Nothing else may write the table meanwhile. */
export async function restoreCoverage(db: Db, covered: readonly CoverageRow[]): Promise<void> {
  await inTransaction(db, async (connection) => {
    await deleteCoverage(connection)
    await insertCoverage(connection, [JSON.stringify(covered)])
    await deleteUncoveredBlocks(connection)
  })
}
