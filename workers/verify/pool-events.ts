/** Events of pools, as verification applies them before the pool's swaps. */
import { type PoolEventRow, poolEventOfRow } from '../../domain/events/stored-row.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { applyPoolEvent } from '../pool/pool.ts'
import { emptyPool, type PoolState } from '../pool/pool-state.ts'

export type PoolName = {
  readonly id: number
  readonly pair_address: string
  readonly token_address: string
}
export type StoredEvent = Omit<PoolEventRow, 'pair_address' | 'token_address' | 'blockhash'>

const listPoolEvents = query<StoredEvent & { pool_id: number }>('verify/list_pool_events')

/** By pool, of each in chain order; none for a pool without events. */
export async function listEventsOfPools(
  connection: Connection,
  pools: readonly PoolName[],
): Promise<Map<number, StoredEvent[]>> {
  const events = new Map<number, StoredEvent[]>()
  for (const { pool_id: id, ...event } of await listPoolEvents(connection, [
    pools.map((pool) => pool.id),
  ])) {
    const known = events.get(id)
    if (known === undefined) events.set(id, [event])
    else known.push(event)
  }
  return events
}

/** A pool before its first swap, with all of its events applied. */
export function poolWithEvents(pool: PoolName, events: readonly StoredEvent[]): PoolState {
  const { id, pair_address, token_address } = pool
  const state = emptyPool(id, pair_address, token_address)
  for (const event of events) {
    const row = { ...event, pair_address, token_address, blockhash: null }
    applyPoolEvent(state, poolEventOfRow(row))
  }
  return state
}
