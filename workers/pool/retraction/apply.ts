/**
 * Applies a retraction in one lane: takes the block's swaps and pool events out of every table of the pool actor, and
 * publishes them as retracted, so that ledger and ranking take them out of theirs.
 *
 * Law: after the commit each table is the fold of the rows that are left; rows that a retracted event touched are
 * recomputed from stored rows. The rows of `retraction` hold the work that is left, so a crash loses none of it, and one
 * commit does a block whole. A lane also applies what other lanes left unfinished: their pools may be its own now.
 *
 * Decisions: docs/decisions/0038-retractions-are-events.md, docs/decisions/0043-retractions-follow-the-pools.md
 */
import { type RetractionRow, retractionOfRow } from '../../../domain/events/stored-row.ts'
import { leastOf } from '../../../domain/numbers/extremes.ts'
import { dayStartMs } from '../../../domain/time/utc-day.ts'
import { writePrepared } from '../../../history/sealed/find/stored.ts'
import { expectSealedAlike, knownSealed } from '../../../history/sealed/state.ts'
import { thawMints, thawSlots } from '../../../history/sealing/thaw.ts'
import { takeFromCoverage } from '../../../sql/coverage.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import type { Batch, LaneContext } from '../../runtime/actor.ts'
import { publishedAsRetracted, retractedOf } from '../publication/retracted.ts'
import { foldMinutesAgain } from './candles.ts'
import { restorePools } from './pools.ts'
import { settleConflicts } from './readmission.ts'
import { loadSlotRows, ownPools, type SlotRows } from './slot-rows.ts'
import { forgetSignatures, lockSums, takeFromSums } from './sums.ts'

const findPending = query<RetractionRow>('retraction/find_pending')
const findUnfinished = query<RetractionRow>('retraction/find_unfinished')
const lockPool = query('candles/lock_pool')
const takeSwaps = query('retraction/take_swaps')
const takePoolEvents = query('retraction/take_pool_events')
const insertTokenChanges = query('retraction/insert_token_changes')
const resetProfiles = query('retraction/reset_profiles')
const deleteChartDays = query('retraction/delete_chart_days')
const finishRetraction = query('retraction/finish_retraction')
const finishFormerLanes = query('retraction/finish_former_lanes')

/** The next retraction that a lane is to apply; undefined without one. */
export async function nextRetraction({
  db,
  lane,
  topology: { laneCount },
}: LaneContext): Promise<RetractionRow | undefined> {
  const [own] = await findPending(db, [lane])
  return own ?? (await findUnfinished(db, [lane, laneCount]))[0]
}

/** The batch that applies a retraction in a lane. */
export async function foldRetraction(context: LaneContext, pending: RetractionRow): Promise<Batch> {
  const { lane, topology, log } = context
  const { laneCount } = topology
  const { slot, blockhash } = pending
  const retraction = retractionOfRow(pending)
  const sealed = await knownSealed(context.db)
  const rows = await loadSlotRows(context, retraction)
  const [swaps, poolEvents] = [rows.swaps.length, rows.events.length]
  log.info({ lane, ...retraction, swaps, poolEvents }, 'retracting block')
  const isStored = swaps + poolEvents > 0
  const isOwn = ownPools(context)
  return {
    eventCount: swaps + poolEvents,
    deadLetters: [],
    isLong: true,
    publishedRuns: isStored ? [{ first: slot, last: slot }] : [],
    publish: (commitNumber) =>
      publishedAsRetracted(
        topology,
        lane,
        commitNumber,
        retractedOf(rows.swaps, rows.events, blockhash),
      ),
    write: (connection) =>
      writePrepared(sealed, async () => {
        if (isStored) await takeOut(connection, lane, pending, rows)
        await settleConflicts(connection, lane, isOwn, retraction)
        await finishRetraction(connection, [slot, blockhash, lane, swaps, poolEvents, laneCount])
        // The lock of the row makes lanes finish one after another: the last one sees the rows of all.
        await takeFromCoverage(connection, retraction)
        await finishFormerLanes(connection, [slot, blockhash, laneCount])
        await expectSealedAlike(connection, sealed, slot)
      }),
  }
}

async function takeOut(
  connection: Connection,
  lane: number,
  { slot, blockhash }: RetractionRow,
  rows: SlotRows,
): Promise<void> {
  const { swaps, events } = rows
  const all = [...swaps, ...events]
  const poolIds = [...new Set(all.map((row) => row.pool_id))].sort((a, b) => a - b)
  const tokenIds = [...new Set(all.map((row) => row.token_id))]
  // Locked as by a commit of swaps, before their candles change: a rebuild of candles waits.
  for (const id of poolIds) await lockPool(connection, [id])
  await thawSlots(connection, lane, [slot])
  if (swaps.length > 0) await takeSwaps(connection, [slot, poolIds, blockhash])
  if (events.length > 0) {
    await takePoolEvents(connection, [slot, poolIds, blockhash])
    // Profiles of wallets with a retracted swap are reset when the ledger has recomputed their positions.
    await resetProfiles(connection, [[...new Set(events.flatMap(({ creator }) => creator ?? []))]])
  }
  await forgetSignatures(connection, slot, rows)
  await insertTokenChanges(connection, [tokenIds])
  const firstMs = leastOf(all.map((row) => row.timestamp_ms))
  await deleteChartDays(connection, [tokenIds, dayStartMs(firstMs)])
  // Late, because other lanes wait from here on; before the candles, whose statement takes a weaker lock of these tables:
  // two retractions that held it would wait for each other.
  if (swaps.length > 0) await lockSums(connection)
  const ends = await foldMinutesAgain(connection, swaps)
  const firsts = await restorePools(connection, lane, rows)
  await thawMints(connection, lane, [...ends, ...firsts])
  await takeFromSums(connection, { lane, slot, swaps })
}
