/**
 * Seals what is old enough, oldest first: a run of slots at a time, within a chunk of `swap`, and drops the chunks that this
 * empties. One process seals at a time.
 *
 * A run waits where another transaction is about to change or to read its rows by the transaction that stored them: a commit
 * that is not published, a repair or a retraction. Actors and jobs read sealed swaps through history/swaps.
 */
import { type Connection, connectSession, type Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { waitingRemovals } from '../../sql/schema/version.ts'
import { storedLow } from '../sealed/find/stored.ts'
import { readSealed } from '../sealed/state.ts'
import { reclaimChunks } from './reclaim.ts'
import { reseal, type Sealing, type SlotRange, sealSlots } from './seal.ts'
import type { Wait } from './wait.ts'

export type SealOrder = {
  /** Swaps of runs of slots that ended before this time are sealed; undefined: all. */
  readonly beforeMs: number | undefined
  /** The last slot that is sealed. */
  readonly toSlot: number
  /** Whether chunks are sealed of which a part only is old enough. */
  readonly partsOfChunks: boolean
}
export type SealedRun = SlotRange & Extract<Sealing, { outcome: 'sealed' }>
/** `waits`: what holds the next run up; undefined where all is sealed. */
export type SealReport = { readonly runs: number; readonly waits: Wait | undefined }

/** Bounds the memory of a seal: about 300 bytes a row. */
const SEGMENT_ROWS = 2_000_000
/** 2 %: a row that was moved back is stored twice, and a late one takes six times the bytes of a sealed one. */
const WORN_THOUSANDTHS = 20
/** A part of an older version reads the table only, and would answer with less. */
const OLDER_PARTS = 'parts of an older version may run until "swaptide migrate" has applied'
const OTHER_SEALER: Wait = { cause: 'other_sealer', reason: 'another process seals' }
const STOPPING: Wait = { cause: 'stopping', reason: 'the process is stopping' }

type NextRun = { low: number; chunk_end: number; high: number }

const lockSealer = query<{ is_taken: boolean }>('sealing/lock_sealer')
const findLimit = query<{ slot: number | null }>('sealing/find_limit')
const findNextRun = query<NextRun>('sealing/find_next_run')
const findWorn = query<{ id: number }>('sealing/find_worn')
const findCut = query<{ slot: number }>('sealing/find_cut')

/** Resolves when all is sealed, something is to be waited for, or the signal aborts. */
export async function sealOld(
  db: Db,
  order: SealOrder,
  signal: AbortSignal,
  onSealed: (run: SealedRun, ms: number) => void,
): Promise<SealReport> {
  const connection = await connectSession(db)
  try {
    const [lock] = await lockSealer(connection)
    if (lock?.is_taken !== true) return { runs: 0, waits: OTHER_SEALER }
    const removals = await waitingRemovals(connection)
    if (removals.length > 0) {
      const reason = `${OLDER_PARTS}: ${removals.join(' ')}`
      return { runs: 0, waits: { cause: 'older_version', reason } }
    }
    const report = await sealRuns(connection, order, signal, onSealed)
    if (report.waits === undefined) await resealWorn(connection)
    await reclaimChunks(connection)
    return report
  } finally {
    // Ends the session and its lock.
    connection.release(true)
  }
}

async function sealRuns(
  connection: Connection,
  order: SealOrder,
  signal: AbortSignal,
  onSealed: (run: SealedRun, ms: number) => void,
): Promise<SealReport> {
  let runs = 0
  // Rows of dropped slots that stay in the table are not sealed.
  for (let from = storedLow(await readSealed(connection), 0); !signal.aborted; ) {
    const run = await nextRun(connection, order, from)
    if (run === undefined) return { runs, waits: undefined }
    const startedAt = performance.now()
    const sealing = await sealSlots(connection, run)
    if (sealing.outcome === 'waits') return { runs, waits: sealing.wait }
    if (sealing.outcome === 'sealed') {
      runs += 1
      onSealed({ ...run, ...sealing }, performance.now() - startedAt)
    }
    from = run.high + 1
  }
  return { runs, waits: STOPPING }
}

/** Rewrites one segment where so many of its rows are gone, or came later, that reads and disk notice. */
async function resealWorn(connection: Connection): Promise<void> {
  const [worn] = await findWorn(connection, [WORN_THOUSANDTHS])
  if (worn !== undefined) await reseal(connection, worn.id)
}

/** Slots that no segment has, within one chunk. */
async function nextRun(
  connection: Connection,
  order: SealOrder,
  from: number,
): Promise<SlotRange | undefined> {
  const limit = await limitOf(connection, order)
  for (let begin = from; begin <= limit; ) {
    const [next] = await findNextRun(connection, [begin, limit])
    if (next === undefined) return undefined
    const { low, high } = next
    const [cut] = await findCut(connection, [low, high, SEGMENT_ROWS])
    if (cut !== undefined && cut.slot > low) return { low, high: cut.slot - 1 }
    if (order.partsOfChunks || high < limit || limit >= next.chunk_end) return { low, high }
    begin = high + 1
  }
  return undefined
}

async function limitOf(connection: Connection, { beforeMs, toSlot }: SealOrder): Promise<number> {
  if (beforeMs === undefined) return toSlot
  const [row] = await findLimit(connection, [beforeMs])
  return Math.min(toSlot, row?.slot ?? toSlot)
}
