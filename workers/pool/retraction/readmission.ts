/**
 * Versions of an event that were rejected because they contradicted one of a retracted slot: they are accepted now, in
 * the order in which they came. They wait in `event_conflict` until a commit of the lane has folded them.
 */
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import {
  decodeEventBatch,
  encodeEventBatch,
  type WireEvent,
} from '../../../streams/codec/event-codec.ts'
import { parseEvent } from '../../../streams/ingest/contract.ts'
import type { LaneContext } from '../../runtime/actor.ts'
import type { IsOwn } from './slot-rows.ts'

type ConflictRow = { id: number; pair_address: string; stored_slot: number; kept_out_slot: number }

const listConflicts = query<ConflictRow>('retraction/list_conflicts')
const deleteConflicts = query('retraction/delete_conflicts')
const readmitConflicts = query('retraction/readmit_conflicts')
const listReadmitted = query<{ id: number; kept_out: string }>('retraction/list_readmitted')

const READMITTED_AT_ONCE = 1_000

/** A conflict with a rejected version of the slot is deleted; one with a stored version waits for `readmitted`. */
export async function settleConflicts(
  connection: Connection,
  lane: number,
  isOwn: IsOwn,
  slot: number,
): Promise<void> {
  const own = (await listConflicts(connection, [slot])).filter((row) => isOwn(row.pair_address))
  if (own.length === 0) return
  const [gone, waiting] = [true, false].map((isGone) =>
    own.filter((row) => (row.kept_out_slot === slot) === isGone).map(({ id }) => id),
  )
  await deleteConflicts(connection, [gone])
  await readmitConflicts(connection, [waiting, lane])
}

export type Readmitted = {
  events: WireEvent[]
  /** In the commit that folds the events, before its own conflicts are stored. */
  remove(connection: Connection): Promise<unknown>
}

/** The next events to accept; undefined without any. */
export async function readmitted({ db, lane }: LaneContext): Promise<Readmitted | undefined> {
  const rows = await listReadmitted(db, [lane, READMITTED_AT_ONCE])
  if (rows.length === 0) return undefined
  const events = rows.flatMap(({ kept_out: line }) => {
    const parsed = parseEvent(line, Number.POSITIVE_INFINITY)
    if (!('event' in parsed)) throw new Error(`rejected version cannot be parsed: ${line}`)
    return decodeEventBatch(encodeEventBatch([parsed.event]))
  })
  const ids = rows.map(({ id }) => id)
  return { events, remove: (connection) => deleteConflicts(connection, [ids]) }
}
