/**
 * A late `migrated` event changes the correction of all the pool's swaps: their impacts are recomputed, a bounded page
 * of whole slots a commit, only by the lane that owns the pool. The rows of `pool_repair` hold the remaining work, so a
 * crash loses no repair.
 */

import { type SwapRow, swapOfRow } from '../../domain/events/stored-row.ts'
import { compareSwaps } from '../../domain/events/swap.ts'
import { storedLow, writePrepared } from '../../history/sealed/find/stored.ts'
import { expectSealedAlike, knownSealed } from '../../history/sealed/state.ts'
import { listPoolSwaps } from '../../history/swaps/pools.ts'
import { query } from '../../sql/query.ts'
import { laneOf } from '../../streams/nats/lane.ts'
import type { Batch, LaneContext } from '../runtime/actor.ts'
import { impactContext, needsPredecessor, priceImpactBps } from './impact/impact.ts'
import type { ImpactUpdate } from './impact/late.ts'
import { correctedPoolPrice } from './pool.ts'
import type { PoolState } from './pool-state.ts'
import { loadPools } from './store.ts'
import { poolColumns, writeImpacts } from './write/write.ts'

export type Repair = {
  pool_id: number
  next_slot: number
  pair_address: string
  token_address: string
}

const listRepairs = query<Repair>('pool/list_repairs')
const advanceRepair = query('pool/advance_repair')
const deleteRepair = query('pool/delete_repair')
const updatePools = query('pool/update_pools')

const PAGE_SWAPS = 2_000
const PAGE_REPAIRS = 200

/** The next page of the lane's first repair, or undefined without a repair. */
export async function foldRepair(
  context: LaneContext,
  stateInMemory: (pairAddress: string, tokenAddress: string) => PoolState | undefined,
): Promise<Batch | undefined> {
  const repair = await ownRepair(context)
  if (repair === undefined) return undefined
  const { pair_address: pairAddress, token_address: tokenAddress } = repair
  const inMemory = stateInMemory(pairAddress, tokenAddress)
  const state = inMemory ?? (await loadPools(context.db, [{ pairAddress, tokenAddress }]))[0]!
  const sealed = await knownSealed(context.db)
  // Swaps that were dropped have no impact left to correct.
  const fromSlot = storedLow(sealed, repair.next_slot)
  const rows = await listPoolSwaps(context.db, repair.pool_id, fromSlot, PAGE_SWAPS)
  const lastSlot = rows.at(-1)?.slot
  const updates = rows.flatMap((row) => repaired(row, state) ?? [])
  return {
    eventCount: rows.length,
    deadLetters: [],
    publish: () => [],
    write: (connection) =>
      writePrepared(sealed, async () => {
        if (updates.length > 0) await writeImpacts(connection, context.lane, updates)
        if (correctLast(state, rows)) await updatePools(connection, poolColumns([state]))
        if (rows.length >= PAGE_SWAPS && lastSlot !== undefined) {
          await advanceRepair(connection, [repair.pool_id, lastSlot + 1])
        } else await deleteRepair(connection, [repair.pool_id])
        await expectSealedAlike(connection, sealed, repair.next_slot)
      }),
  }
}

/** Selects by the pool's present lane: the lane count may have changed since the repair was stored. */
async function ownRepair({ db, lane, topology }: LaneContext): Promise<Repair | undefined> {
  for (let after = 0; ; ) {
    const page = await listRepairs(db, [after, PAGE_REPAIRS])
    const own = page.find((each) => laneOf(each.pair_address, topology.laneCount) === lane)
    const last = page.at(-1)
    if (own !== undefined || last === undefined) return own
    after = last.pool_id
  }
}

/** The update that a stored swap needs under the pool's present migration. */
function repaired(row: SwapRow, state: PoolState): ImpactUpdate | undefined {
  const swap = swapOfRow(row)
  if (needsPredecessor(swap)) return undefined
  const impact = priceImpactBps(swap, impactContext(state, swap.priceBefore))
  if (impact === row.price_impact_bps) return undefined
  return { state, swap, priceImpactBps: impact }
}

/** Corrects the price of the pool's newest swap when the page holds it; whether it does. */
function correctLast(state: PoolState, rows: readonly SwapRow[]): boolean {
  const last = state.last
  if (last === undefined) return false
  const newest = rows.map(swapOfRow).find((swap) => compareSwaps(swap, last) === 0)
  if (newest === undefined) return false
  last.correctedPoolPrice = correctedPoolPrice(newest, state.migration?.timestamp)
  return true
}
