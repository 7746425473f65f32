/** Names the blocks of stored events that came without one, by duplicates that came with one. */
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { greatestOf, leastOf } from '../../../domain/numbers/extremes.ts'
import { thawSlots } from '../../../history/sealing/thaw.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'

const nameSwaps = query('pool/name_swaps')
const namePoolEvents = query('pool/name_pool_events')

/** Duplicates of stored events that name no block. */
export type Named = { swaps: readonly Swap[]; poolEvents: readonly PoolEvent[] }

export const isNothing = ({ swaps, poolEvents }: Named): boolean =>
  swaps.length + poolEvents.length === 0

/**
 * In a subtransaction: the rows that a commit stored are found by its transaction id, and these rows were stored by earlier
 * commits. A row that names its block is left as it is, so a repetition changes nothing.
 */
export async function nameBlocks(
  connection: Connection,
  lane: number,
  { swaps, poolEvents }: Named,
): Promise<void> {
  await thawSlots(
    connection,
    lane,
    swaps.map(({ slot }) => slot),
  )
  const written: Promise<unknown>[] = [connection.query('savepoint block_names')]
  if (swaps.length > 0) written.push(nameSwaps(connection, swapColumns(swaps)))
  if (poolEvents.length > 0) written.push(namePoolEvents(connection, eventColumns(poolEvents)))
  written.push(connection.query('release savepoint block_names'))
  await Promise.all(written)
}

function swapColumns(swaps: readonly Swap[]): unknown[] {
  const slots = swaps.map(({ slot }) => slot)
  return [
    slots,
    swaps.map(({ blockTxIndex }) => blockTxIndex),
    swaps.map(({ ixIndex }) => ixIndex),
    swaps.map(({ dex }) => dex),
    swaps.map(({ signature }) => signature),
    swaps.map(({ pairAddress }) => pairAddress),
    swaps.map(({ user }) => user),
    swaps.map(({ isBuy }) => isBuy),
    swaps.map(({ solAmount }) => solAmount),
    swaps.map(({ tokenAmount }) => tokenAmount),
    swaps.map(({ blockhash }) => blockhash),
    leastOf(slots),
    greatestOf(slots),
  ]
}

function eventColumns(events: readonly PoolEvent[]): unknown[] {
  return [
    events.map(({ signature }) => signature),
    events.map(({ event }) => event),
    events.map(({ pairAddress }) => pairAddress),
    events.map(({ ixIndex }) => ixIndex),
    events.map(({ blockhash }) => blockhash),
  ]
}
