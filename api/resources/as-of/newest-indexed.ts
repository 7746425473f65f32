/** Reads the newest slot of which anything is indexed. */
import { readNewestSlot } from '../../../history/swaps/newest.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

const readNewestEvent = query<{ newest_slot: number | null }>('as-of/read_newest_event_slot')

/** The greatest slot of a swap or pool event; null before the first. */
export async function readNewestIndexed(db: Queryable): Promise<number | null> {
  const [swapSlot, events] = await inOnePiece(db, () =>
    Promise.all([readNewestSlot(db), readNewestEvent(db)]),
  )
  const eventSlot = events[0]?.newest_slot ?? null
  if (swapSlot === null || eventSlot === null) return swapSlot ?? eventSlot
  return Math.max(swapSlot, eventSlot)
}
