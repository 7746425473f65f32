/** Reads which slots of the chain were read. Written by deploy/chain/coverage.ts. */
import type { Coverage } from '../domain/coverage.ts'
import type { Queryable } from './driver/queryable.ts'
import { query } from './query.ts'

type CoverageRow = {
  from_slot: number
  to_slot: number
  venues: number
  decoder_version: number
  source: string
  commitment: string
  swaps: number
}

const listRows = query<CoverageRow>('coverage/list_coverage')

/** Runs of slots, ascending. */
export async function listCoverage(db: Queryable): Promise<Coverage[]> {
  return (await listRows(db)).map((row) => ({
    from: row.from_slot,
    to: row.to_slot,
    venues: row.venues,
    decoderVersion: row.decoder_version,
    source: row.source,
    commitment: row.commitment,
    swaps: row.swaps,
  }))
}
