// Seals runs of slots of a test's database, as an operator may at any time.
import { readSealed } from '../../../history/sealed/state.ts'
import { reseal, type Sealing, sealSlots } from '../../../history/sealing/seal.ts'
import { type Connection, type Db, onConnection } from '../../../sql/db.ts'
import type { Prng } from '../../../streams/simulator/prng.ts'
import { until } from '../workers/pipeline.ts'

/** Slots of swaps that no segment has yet, ascending. */
async function openSlots(db: Db): Promise<number[]> {
  const { lastSlot } = await readSealed(db)
  const { rows } = await db.query<{ slot: number }>(
    'select distinct slot from swap where slot > $1 order by slot',
    [lastSlot],
  )
  return rows.map(({ slot }) => slot)
}

async function seal(db: Db, low: number, high: number): Promise<void> {
  await untilSealed(db, (connection) => sealSlots(connection, { low, high }))
}

/** A commit may not be published yet. */
function untilSealed(db: Db, run: (connection: Connection) => Promise<Sealing>): Promise<void> {
  return until('nothing holds up the seal', 60_000, async () => {
    return (await onConnection(db, run)).outcome !== 'waits'
  })
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

/** All that is not sealed yet, in two segments, and late swaps with the segments that they belong to. Returns the rows of all. */
export async function sealRest(db: Db): Promise<number> {
  for (const { id } of (await readSealed(db)).segments) {
    await untilSealed(db, (connection) => reseal(connection, id))
  }
  const slots = await openSlots(db)
  const middle = slots[Math.floor(slots.length / 2)]
  const last = slots.at(-1)
  if (middle !== undefined && last !== undefined) {
    await seal(db, slots[0]!, middle)
    if (middle < last) await seal(db, middle + 1, last)
  }
  const { segments } = await readSealed(db)
  return segments.reduce((sum, { rowCount }) => sum + rowCount, 0)
}
