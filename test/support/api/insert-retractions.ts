/** Rows of retractions as two pool lanes leave them. */
import type { Db } from '../../../sql/db.ts'
import { poolOf } from '../events/sample-event.ts'

/** The blockhash in the row of a slot: of every third slot none. */
export const blockhashOf = (slot: number): string | null => (slot % 3 === 0 ? null : poolOf(slot))

/** Lane 0 took a swap and two pool events, lane 1 two swaps; of even slots lane 1 has not applied it yet. */
export async function insertRetractions(db: Db, slots: readonly number[]): Promise<void> {
  for (const slot of slots) {
    await db.query(
      `insert into retraction
         (slot, blockhash, lane, is_applied, swap_count, pool_event_count, retracted_at)
       values ($1, $2, 0, true, 1, 2, to_timestamp(1_000)), ($1, $2, 1, $3, 2, 0, to_timestamp(2_000))`,
      [slot, blockhashOf(slot) ?? '', slot % 2 === 1],
    )
  }
}
