// Fills the tables that the API reads, as the pool actor leaves them, without running it.

import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Int64 } from '../../streams/amount.ts'
import type { PoolEvent } from '../../streams/pool-event.ts'
import { compareSwaps, type Swap } from '../../streams/swap.ts'
import { copySwaps, encodeSignatureRows, encodeSwapRows } from '../../workers/pool/copy.ts'
import { type AcceptedSwap, type PoolState, poolPrice } from '../../workers/pool/pool.ts'
import { slotSpans } from '../../workers/pool/slot-span.ts'

/** A swap to store, and what the pool actor would have computed of it. */
export type StoredSwap = Swap & { priceImpactBps?: Int64 | null }

const insertTokens = query('pool/insert_tokens')
const insertPools = query('pool/insert_pools')
const insertWallets = query('pool/insert_wallets')
const mergeSlotSpans = query('pool/merge_slot_spans')
const insertPoolEvents = query('pool/insert_pool_events')

const LANE = 0

export async function insertSwaps(db: Db, swaps: readonly StoredSwap[]): Promise<void> {
  const poolIds = await internPools(db, swaps)
  const users = [...new Set(swaps.map(({ user }) => user))].sort()
  await insertWallets(db, [users])
  const wallets = await db.query('select id, address from wallet')
  const walletIds = new Map<string, number>(wallets.rows.map(({ id, address }) => [address, id]))
  const accepted = swaps.toSorted(compareSwaps).map((swap): AcceptedSwap => {
    const state = { poolId: poolIds.get(`${swap.pairAddress} ${swap.tokenAddress}`) } as PoolState
    const { priceImpactBps = null } = swap
    return { swap, state, poolPrice: poolPrice(swap), priceImpactBps, isLate: false }
  })
  const connection = await db.connect()
  try {
    await connection.query('begin')
    const rows = encodeSwapRows(accepted, walletIds)
    await copySwaps(connection, rows, encodeSignatureRows(accepted))
    await mergeSlotSpans(connection, slotSpans(LANE, accepted))
    await connection.query(
      `update pool set last_slot = newest.slot, swap_count = newest.swap_count
       from (select pool_id, max(slot) as slot, count(*) as swap_count from swap group by 1) newest
       where newest.pool_id = pool.id`,
    )
    await connection.query('commit')
  } finally {
    connection.release()
  }
}

export async function insertEvents(db: Db, events: readonly PoolEvent[]): Promise<void> {
  const poolIds = await internPools(db, events)
  const columns = [
    events.map((event) => poolIds.get(`${event.pairAddress} ${event.tokenAddress}`)),
    events.map(({ slot }) => slot),
    events.map(({ blockTxIndex }) => blockTxIndex),
    events.map(({ ixIndex }) => ixIndex),
    events.map(({ timestamp }) => timestamp),
    events.map(({ dex }) => dex),
    events.map(({ event }) => event),
    events.map(({ signature }) => signature),
    events.map(({ creator }) => creator ?? null),
    events.map(({ fromPair }) => fromPair ?? null),
    events.map(({ solAmount }) => solAmount ?? null),
    events.map(({ tokenAmount }) => tokenAmount ?? null),
  ]
  await insertPoolEvents(db, columns)
}

type OfPool = { pairAddress: string; tokenAddress: string }

/** Ids by `pair mint`. */
async function internPools(db: Db, rows: readonly OfPool[]): Promise<Map<string, number>> {
  const names = [
    ...new Set(rows.map(({ pairAddress, tokenAddress }) => `${pairAddress} ${tokenAddress}`)),
  ].sort()
  const pairs = names.map((name) => name.split(' ') as [string, string])
  await insertTokens(db, [[...new Set(pairs.map(([, mint]) => mint))].sort()])
  await insertPools(db, [pairs.map(([pair]) => pair), pairs.map(([, mint]) => mint)])
  const pools = await db.query(
    'select p.id, p.pair_address, t.address from pool p join token t on t.id = p.token_id',
  )
  return new Map(pools.rows.map((row) => [`${row.pair_address} ${row.address}`, row.id]))
}
