// Seals runs of slots of a test's database, as an operator may at any time.
import { readSealed } from '../../../history/sealed/state.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { type Db, onConnection } from '../../../sql/db.ts'
import type { Prng } from '../../../streams/simulator/prng.ts'

/** Slots of swaps that no segment has yet, ascending. */
async function openSlots(db: Db): Promise<number[]> {
  const { lastSlot } = await readSealed(db)
  const { rows } = await db.query<{ slot: number }>(
    'select distinct slot from swap where slot > $1 order by slot',
    [lastSlot],
  )
  return rows.map(({ slot }) => slot)
}

async function seal(db: Db, low: number, high: number): Promise<number> {
  const sealing = await onConnection(db, (connection) => sealSlots(connection, { low, high }))
  return sealing.outcome === 'sealed' ? sealing.rows : 0
}

/** Up to three runs of slots, not all that there is. */
export async function sealSome(db: Db, prng: Prng): Promise<void> {
  for (let runs = prng.below(4); runs > 0; runs--) {
    const slots = await openSlots(db)
    const [first] = slots
    const last = slots[prng.below(Math.ceil(slots.length / 2))]
    if (first !== undefined && last !== undefined) await seal(db, first, last)
  }
}

/** All that is not sealed yet, in two segments. Returns the rows that were sealed. */
export async function sealRest(db: Db): Promise<number> {
  const slots = await openSlots(db)
  const middle = slots[Math.floor(slots.length / 2)]
  const last = slots.at(-1)
  if (middle === undefined || last === undefined) return 0
  const rows = await seal(db, slots[0]!, middle)
  return rows + (middle < last ? await seal(db, middle + 1, last) : 0)
}
