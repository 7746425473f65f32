/** Completes rows of stored events by duplicates that state what these left out: blocks, and rates of fees outside the legs. */
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { greatestOf, leastOf } from '../../../domain/numbers/extremes.ts'
import { thawSlots } from '../../../history/sealing/thaw.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'

const completeSwaps = query('pool/complete_swaps')
const namePoolEvents = query('pool/name_pool_events')

/** Stored events with what duplicates of them stated. */
export type Completed = { swaps: readonly Swap[]; poolEvents: readonly PoolEvent[] }

export const isNothing = ({ swaps, poolEvents }: Completed): boolean =>
  swaps.length + poolEvents.length === 0

/**
 * In a subtransaction: the rows that a commit stored are found by its transaction id, and these rows were stored by earlier
 * commits. A value that a row has is left as it is, so a repetition changes nothing.
 */
export async function completeRows(
  connection: Connection,
  lane: number,
  { swaps, poolEvents }: Completed,
): Promise<void> {
  await thawSlots(
    connection,
    lane,
    swaps.map(({ slot }) => slot),
  )
  const written: Promise<unknown>[] = [connection.query('savepoint completions')]
  if (swaps.length > 0) written.push(completeSwaps(connection, swapColumns(swaps)))
  if (poolEvents.length > 0) written.push(namePoolEvents(connection, eventColumns(poolEvents)))
  written.push(connection.query('release savepoint completions'))
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
    swaps.map(({ outsideProtocolBps }) => outsideProtocolBps),
    swaps.map(({ outsideCreatorBps }) => outsideCreatorBps),
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
