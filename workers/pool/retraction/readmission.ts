/**
 * Versions of an event that were rejected because they contradicted one of a retracted block: they are accepted now, in
 * the order in which they came. They wait in `event_conflict` until a commit of the lane has folded them.
 */
import { type ChainEvent, isChainEvent, payloadOf } from '../../../domain/events/event.ts'
import { RetractedBlocks, type Retraction } from '../../../domain/events/retraction.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import {
  decodeEventBatch,
  encodeEventBatch,
  type WireEvent,
} from '../../../streams/codec/event-codec.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import type { LaneContext } from '../../runtime/actor.ts'
import { type IsOwn, ownPools } from './slot-rows.ts'

type ConflictRow = { id: number; pair_address: string; stored: string; kept_out: string }

const listConflicts = query<ConflictRow>('retraction/list_conflicts')
const deleteConflicts = query('retraction/delete_conflicts')
const readmitConflicts = query('retraction/readmit_conflicts')
const listReadmitted = query<Omit<ConflictRow, 'stored'>>('retraction/list_readmitted')

const READMITTED_AT_ONCE = 1_000

/** A conflict with a rejected version of the block is deleted; one with a stored version waits for `readmitted`. */
export async function settleConflicts(
  connection: Connection,
  lane: number,
  isOwn: IsOwn,
  retraction: Retraction,
): Promise<void> {
  const found = await listConflicts(connection, [retraction.slot])
  const blocks = new RetractedBlocks([retraction])
  const isRetracted = (line: string): boolean => blocks.has(payloadOf(eventOf(line)))
  const own = found.filter((row) => isOwn(row.pair_address))
  const gone = own.filter((row) => isRetracted(row.kept_out)).map(({ id }) => id)
  const waiting = own
    .filter((row) => isRetracted(row.stored) && !gone.includes(row.id))
    .map(({ id }) => id)
  if (gone.length + waiting.length === 0) return
  await deleteConflicts(connection, [gone])
  await readmitConflicts(connection, [waiting, lane])
}

/** The event of a stored line. */
function eventOf(line: string): ChainEvent {
  const parsed = parseEvent(line, Number.POSITIVE_INFINITY)
  if (!('event' in parsed) || !isChainEvent(parsed.event)) {
    throw new Error(`version of an event in event_conflict cannot be parsed: ${line}`)
  }
  return parsed.event
}

type Readmitted = {
  events: WireEvent[]
  /** In the commit that folds the events, before its own conflicts are stored. */
  remove(connection: Connection): Promise<unknown>
}

/** The next events to accept; undefined without any. */
export async function readmitted(context: LaneContext): Promise<Readmitted | undefined> {
  const rows = await ownRows(context)
  if (rows.length === 0) return undefined
  const events = decodeEventBatch(encodeEventBatch(rows.map((row) => eventOf(row.kept_out))))
  const ids = rows.map(({ id }) => id)
  return { events, remove: (connection) => deleteConflicts(connection, [ids]) }
}

/** Selects by the pool's present lane: the lane count may have changed since the conflict was noted. */
async function ownRows(context: LaneContext): Promise<{ id: number; kept_out: string }[]> {
  const isOwn = ownPools(context)
  for (let after = 0; ; ) {
    const page = await listReadmitted(context.db, [after, READMITTED_AT_ONCE])
    const own = page.filter((row) => isOwn(row.pair_address))
    const last = page.at(-1)
    if (own.length > 0 || last === undefined) return own
    after = last.id
  }
}
