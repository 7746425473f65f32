/**
 * The rows of pools whose swaps or events were retracted: their newest swap, first slot, prices and migration by what
 * is left, and the impact of the next swap.
 */
import type { Int64 } from '../../../domain/amount.ts'
import { swapOfRow } from '../../../domain/events/stored-row.ts'
import { type ChainPosition, compareSwaps } from '../../../domain/events/swap.ts'
import type { PoolSlot } from '../../../history/sealing/thaw.ts'
import { findPoolEnds, listLastSwaps } from '../../../history/swaps/pools.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { impactContext, needsPredecessor, priceImpactBps } from '../impact/impact.ts'
import {
  adjacentPairs,
  type ImpactUpdate,
  type LateArrivals,
  type StoredNeighbour,
  settlePair,
} from '../impact/late.ts'
import { lastSwap } from '../pool.ts'
import type { PoolState } from '../pool-state.ts'
import { loadDisturbances, loadNeighbours, loadStoredPools } from '../store.ts'
import { readLastPrices } from '../write/candle-write.ts'
import { poolColumns, writeImpacts } from '../write/write.ts'
import type { SlotRows } from './slot-rows.ts'

const updatePools = query('pool/update_pools')
const insertRepairs = query('pool/insert_repairs')
const clearVenues = query('retraction/clear_venues')

/** After the rows were taken out and the candles recomputed. Returns the first slot of each pool that is left with swaps. */
export async function restorePools(
  connection: Connection,
  lane: number,
  { swaps, events }: SlotRows,
): Promise<PoolSlot[]> {
  const names = new Map(
    [...swaps, ...events].map((row) => [
      row.pool_id,
      { pairAddress: row.pair_address, tokenAddress: row.token_address },
    ]),
  )
  const pools = await loadStoredPools(connection, [...names.values()])
  const poolIds = pools.map(({ poolId }) => poolId)
  const taken = Map.groupBy(swaps, (row) => row.pool_id)
  const [newest, ends] = [
    Map.groupBy(await listLastSwaps(connection, poolIds), (row) => row.pool_id),
    new Map((await findPoolEnds(connection, poolIds)).map((row) => [row.pool_id, row])),
  ]
  const prices = await readLastPrices(connection, poolIds)
  for (const state of pools) {
    const { poolId } = state
    const last = newest.get(poolId)?.map(swapOfRow).sort(compareSwaps).at(-1)
    state.swapCount -= taken.get(poolId)?.length ?? 0
    state.last = last && lastSwap(last, state.migration?.timestamp)
    state.firstSlot = ends.get(poolId)?.first_slot ?? undefined
    state.newestMs = ends.get(poolId)?.newest_ms ?? undefined
    state.lastPrice = prices.get(poolId)
  }
  await updatePools(connection, poolColumns(pools))
  await clearVenues(connection, [poolIds])
  const migrated = events.filter(({ event }) => event === 'migrated').map((row) => row.pool_id)
  if (migrated.length > 0) await insertRepairs(connection, [[...new Set(migrated)], lane])
  const retracted = Map.groupBy([...swaps, ...events] as ChainPositionRow[], (row) => row.pool_id)
  await settleNext(connection, lane, pools, retracted)
  return pools.flatMap(({ poolId, firstSlot: slot }) =>
    slot === undefined ? [] : [{ poolId, slot }],
  )
}

/** Only the first swap after a retracted event can depend on it. */
async function settleNext(
  connection: Connection,
  lane: number,
  pools: readonly PoolState[],
  retracted: ReadonlyMap<number, readonly ChainPositionRow[]>,
): Promise<void> {
  const probes = pools.flatMap((state) =>
    chainPositionsOf(retracted.get(state.poolId) ?? []).map((chainPosition) => ({
      state,
      chainPosition,
    })),
  )
  const neighbours = await loadNeighbours(connection, probes)
  const lines = pools.map(
    (state): LateArrivals => ({
      state,
      swaps: [],
      liquidity: [],
      neighbours: neighbours.get(state.poolId) ?? [],
    }),
  )
  const adjacent = lines.flatMap(adjacentPairs)
  const isDisturbed = await loadDisturbances(connection, adjacent)
  const updates = [
    ...lines.flatMap((line) => settleFirst(line) ?? []),
    ...adjacent.flatMap((pair, index) => settlePair(pair, isDisturbed[index] === true) ?? []),
  ]
  if (updates.length > 0) await writeImpacts(connection, lane, updates)
}

type ChainPositionRow = { pool_id: number; slot: number; block_tx_index: number; ix_index: number }

/** Each position once. */
function chainPositionsOf(rows: readonly ChainPositionRow[]): ChainPosition[] {
  const byKey = new Map<string, ChainPosition>()
  for (const { slot, block_tx_index: blockTxIndex, ix_index: ixIndex } of rows) {
    byKey.set(`${blockTxIndex} ${ixIndex}`, { slot, blockTxIndex, ixIndex })
  }
  return [...byKey.values()]
}

/** The pool's first swap has no predecessor. */
function settleFirst({ state, neighbours }: LateArrivals): ImpactUpdate | undefined {
  const [first] = [...neighbours].sort(
    (a, b) =>
      compareSwaps(a.swap, b.swap) || Number(a.side === 'below') - Number(b.side === 'below'),
  )
  if (first === undefined || first.side === 'below' || !needsPredecessor(first.swap)) {
    return undefined
  }
  return updateOf(state, first, priceImpactBps(first.swap, impactContext(state, undefined)))
}

function updateOf(
  state: PoolState,
  { swap, priceImpactBps: stored }: StoredNeighbour,
  impact: Int64 | null,
): ImpactUpdate | undefined {
  return impact === stored ? undefined : { state, swap, priceImpactBps: impact }
}
