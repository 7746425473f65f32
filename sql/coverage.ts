/**
 * The slots of the chain that were read. Written by deploy/chain/coverage.ts; a retraction changes the number of swaps.
 *
 * Invariant: every writer holds the lock of `coverage` until its commit, and takes it after all other locks.
 */
import type { Coverage } from '../domain/coverage.ts'
import type { Retraction } from '../domain/events/retraction.ts'
import type { Connection } from './db.ts'
import type { Queryable } from './driver/queryable.ts'
import { query } from './query.ts'

/** A run of slots, as the table has it. */
export type CoverageRow = {
  from_slot: number
  to_slot: number
  venues: number
  decoder_version: number
  source: string
  commitment: string
  swaps: number
}

export const listCoverageRows = query<CoverageRow>('coverage/list_coverage')

/** Runs of slots, ascending. */
export async function listCoverage(db: Queryable): Promise<Coverage[]> {
  return (await listCoverageRows(db)).map((row) => ({
    from: row.from_slot,
    to: row.to_slot,
    venues: row.venues,
    decoderVersion: row.decoder_version,
    source: row.source,
    commitment: row.commitment,
    swaps: row.swaps,
  }))
}

/** One writer at a time until the end of the transaction. */
export const lockCoverage = query('coverage/lock_coverage')
const subtractBlock = query('coverage/subtract_block')

/** Ranges no longer count the swaps of a block. Idempotent: each pool lane that applies the retraction calls it. */
export async function takeFromCoverage(
  connection: Connection,
  { slot, blockhash = '' }: Retraction,
): Promise<void> {
  await lockCoverage(connection)
  await subtractBlock(connection, [slot, blockhash])
}
