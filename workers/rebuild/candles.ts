/**
 * Rebuilds candles, their traders, dollar minutes and last prices from the `swap` table, some pools a transaction, alongside
 * live workers.
 *
 * It holds the pools' rows, which a commit of a pool's swaps changes before it merges their candles: swaps committed
 * before are read, later commits wait and are merged into the rebuilt rows. Rankings cache minutes, so the same
 * transaction notifies them. A rebuild that dies leaves some pools rebuilt and all rows right; it may be run again.
 *
 * Law: a transaction that holds pools waits for no other pool, because commits take the rows of several in any order. Pools
 * that a commit holds are rebuilt afterwards, one a transaction.
 */

import { isDollarMint } from '../../domain/quote-mint.ts'
import { STORED_WIDTHS } from '../../domain/time/timeframe.ts'
import { expectAllStored } from '../../history/sealed/find/stored.ts'
import { insertPoolTraders, listPoolSwaps } from '../../history/swaps/pools.ts'
import { float8Array, int4Array, optionalInt8Array } from '../../sql/binary/arrays.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query, variants } from '../../sql/query.ts'
import type { PoolCandles } from '../pool/candle.ts'
import { StoredFold } from '../pool/fold.ts'
import { copyCandles } from './candle-rows.ts'

type PoolRow = { id: number; pair_address: string; token_address: string; swap_count: number }
type Locked = { id: number }
/** Locks pools, and returns those that it locked. */
type Lock = (connection: Connection, rows: readonly PoolRow[]) => Promise<Locked[]>

const listPoolsAfter = query<PoolRow>('candles/list_pools')
const lockPool = query<Locked>('candles/lock_pool')
const lockFreePools = query<Locked>('candles/lock_free_pools')
const DELETE_CANDLES = variants('candles/delete_candles', STORED_WIDTHS)
const deleteDollarMinutes = query('candles/delete_dollar_minutes')
const deletePoolTraders = query('candles/delete_pool_traders')
const insertTokenChanges = query('candles/insert_token_changes')
const makePlansHere = query('plans/make_plans_here')
const updatePoolPrices = query('candles/update_pool_prices')

const POOLS_A_PAGE = 1_000
const SWAPS_A_PAGE = 5_000
/** Pools of a transaction, and about how many swaps they have: commits of these pools wait for so many. */
const POOLS_A_BATCH = 50
const SWAPS_A_BATCH = 5_000

const waitForPool: Lock = (connection, [row]) => lockPool(connection, [row?.id])
const takeFreePools: Lock = (connection, rows) => lockFreePools(connection, [idsOf(rows)])

type CandleRebuildReport = { swaps: number; pools: number }

type CandleRebuildOptions = {
  /** So far, after each transaction. */
  onProgress?: (swaps: number, pools: number) => void
}

/** Rejects when the database cannot be had. */
export async function rebuildCandles(
  db: Db,
  options: CandleRebuildOptions = {},
): Promise<CandleRebuildReport> {
  await expectAllStored(db)
  const report: CandleRebuildReport = { swaps: 0, pools: 0 }
  const connection = await db.connect()
  const count = ({ swaps, pools }: CandleRebuildReport): void => {
    report.swaps += swaps
    report.pools += pools
    options.onProgress?.(report.swaps, report.pools)
  }
  try {
    for (let after = 0; ; ) {
      const page = await listPoolsAfter(connection, [after, POOLS_A_PAGE])
      for (const batch of batchesOf(page)) {
        const free = await rebuildPools(connection, batch, takeFreePools)
        count(free)
        for (const row of batch.filter(({ id }) => !free.ids.has(id))) {
          count(await rebuildPools(connection, [row], waitForPool))
        }
      }
      const last = page.at(-1)
      if (last === undefined) return report
      after = last.id
    }
  } finally {
    // Closed, so that the server rolls back any transaction that a failure left open.
    connection.release(true)
  }
}

/** A pool of many swaps is a batch of its own. */
function* batchesOf(rows: readonly PoolRow[]): Generator<PoolRow[]> {
  let [batch, swaps]: [PoolRow[], number] = [[], 0]
  for (const row of rows) {
    const isFull = batch.length === POOLS_A_BATCH || swaps + row.swap_count > SWAPS_A_BATCH
    if (batch.length > 0 && isFull) {
      yield batch
      ;[batch, swaps] = [[], 0]
    }
    batch.push(row)
    swaps += row.swap_count
  }
  if (batch.length > 0) yield batch
}

type Rebuilt = CandleRebuildReport & { ids: ReadonlySet<number> }

/** Rebuilds those of the pools that `lock` returns. */
async function rebuildPools(
  connection: Connection,
  rows: readonly PoolRow[],
  lock: Lock,
): Promise<Rebuilt> {
  await connection.query('begin')
  const ids = new Set((await lock(connection, rows)).map(({ id }) => id))
  const locked = rows.filter(({ id }) => ids.has(id))
  const folded: PoolCandles[] = []
  for (const row of locked) folded.push(await foldPool(connection, row))
  await replaceRows(connection, locked, folded)
  await connection.query('commit')
  const swaps = folded.reduce((sum, { state }) => sum + state.swapCount, 0)
  return { swaps, pools: locked.length, ids }
}

const idsOf = (rows: readonly PoolRow[]): Buffer => int4Array(rows.map(({ id }) => id))

async function replaceRows(
  connection: Connection,
  rows: readonly PoolRow[],
  folded: readonly PoolCandles[],
): Promise<void> {
  if (rows.length === 0) return
  const ids = idsOf(rows)
  await makePlansHere(connection)
  for (const remove of Object.values(DELETE_CANDLES)) await remove(connection, [ids])
  const dollars = rows.filter((row) => isDollarMint(row.token_address))
  if (dollars.length > 0) await deleteDollarMinutes(connection, [idsOf(dollars)])
  await deletePoolTraders(connection, [ids])
  for (const { id } of rows) await insertPoolTraders(connection, id)
  await copyCandles(connection, folded)
  const states = folded.map(({ state }) => state)
  const newestMs = optionalInt8Array(states.map((state) => state.newestMs ?? null))
  await insertTokenChanges(connection, [ids, newestMs])
  await updatePoolPrices(connection, [
    ids,
    newestMs,
    float8Array(states.map(({ lastPrice }) => lastPrice?.price ?? null)),
    optionalInt8Array(states.map(({ lastPrice }) => lastPrice?.timestamp ?? null)),
  ])
}

/** All stored swaps of a pool, folded in canonical order. */
async function foldPool(connection: Connection, row: PoolRow): Promise<PoolCandles> {
  const fold = new StoredFold(row.id, row.pair_address, row.token_address)
  for (let fromSlot = 0; ; ) {
    const page = await listPoolSwaps(connection, row.id, fromSlot, SWAPS_A_PAGE)
    fold.add(page)
    if (page.length < SWAPS_A_PAGE) break
    fromSlot = page[page.length - 1]!.slot + 1
  }
  return fold.allCandles()
}
