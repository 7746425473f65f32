/** How much of history is sealed, in figures. */
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

/** `gone`: rows that were moved back to the table. `bytes`: of blocks and postings with their indexes. */
type HistoryStatus = {
  readonly segments: number
  readonly rows: number
  readonly gone: number
  readonly bytes: number
  /** Null where nothing is sealed, as the two that follow. */
  readonly firstSlot: number | null
  readonly lastSlot: number | null
  /** Unix ms of the newest seal. */
  readonly sealedMs: number | null
}

type Row = {
  segments: number
  rows: number
  gone: number
  bytes: number
  first_slot: number | null
  last_slot: number | null
  sealed_at: Date | null
}

const readSums = query<Row>('sealing/read_history')

export async function readHistory(db: Queryable): Promise<HistoryStatus> {
  const { first_slot, last_slot, sealed_at, ...sums } = (await readSums(db))[0]!
  return {
    ...sums,
    firstSlot: first_slot,
    lastSlot: last_slot,
    sealedMs: sealed_at === null ? null : sealed_at.getTime(),
  }
}
