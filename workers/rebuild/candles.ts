/**
 * Rebuilds candles, their traders, dollar minutes and last prices from the `swap` table, a pool a transaction, alongside
 * live workers.
 *
 * It holds the pool's row, which a commit of the pool's swaps changes before it merges their candles: swaps committed
 * before are read, later commits wait and are merged into the rebuilt rows. Rankings cache minutes, so the same
 * transaction notifies them. A rebuild that dies leaves some pools rebuilt and all rows right; it may be run again.
 */

import { isDollarMint } from '../../domain/quote-mint.ts'
import { STORED_WIDTHS } from '../../domain/time/timeframe.ts'
import { insertPoolTraders, listPoolSwaps } from '../../history/swaps/pools.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query, variants } from '../../sql/query.ts'
import type { PoolCandles } from '../pool/candle.ts'
import { StoredFold } from '../pool/fold.ts'
import { candleWriter } from '../pool/write/sum-write.ts'

type PoolRow = { id: number; pair_address: string; token_address: string }

const listPoolsAfter = query<PoolRow>('candles/list_pools')
const lockPool = query('candles/lock_pool')
const DELETE_CANDLES = variants('candles/delete_candles', STORED_WIDTHS)
const deleteDollarMinutes = query('candles/delete_dollar_minutes')
const deletePoolTraders = query('candles/delete_pool_traders')
const insertTokenChange = query('candles/insert_token_change')
const makePlansHere = query('plans/make_plans_here')
const updatePoolPrices = query('candles/update_pool_prices')

const POOLS_A_PAGE = 1_000
const SWAPS_A_PAGE = 5_000

type CandleRebuildReport = { swaps: number; pools: number }

type CandleRebuildOptions = {
  /** So far, after each pool. */
  onProgress?: (swaps: number, pools: number) => void
}

/** Rejects when the database cannot be had. */
export async function rebuildCandles(
  db: Db,
  options: CandleRebuildOptions = {},
): Promise<CandleRebuildReport> {
  const report: CandleRebuildReport = { swaps: 0, pools: 0 }
  const connection = await db.connect()
  try {
    for (let after = 0; ; ) {
      const page = await listPoolsAfter(connection, [after, POOLS_A_PAGE])
      for (const row of page) {
        report.swaps += await rebuildPool(connection, row)
        report.pools += 1
        options.onProgress?.(report.swaps, report.pools)
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

async function rebuildPool(connection: Connection, row: PoolRow): Promise<number> {
  await connection.query('begin')
  await lockPool(connection, [row.id])
  const folded = await foldPool(connection, row)
  await makePlansHere(connection)
  for (const remove of Object.values(DELETE_CANDLES)) await remove(connection, [row.id])
  if (isDollarMint(row.token_address)) await deleteDollarMinutes(connection, [row.id])
  await deletePoolTraders(connection, [row.id])
  await insertPoolTraders(connection, row.id)
  await candleWriter([folded])(connection)
  const { newestMs, lastPrice, swapCount } = folded.state
  await insertTokenChange(connection, [row.id, newestMs ?? null])
  const prices = [newestMs ?? null, lastPrice?.price ?? null, lastPrice?.timestamp ?? null]
  await updatePoolPrices(connection, [row.id, ...prices])
  await connection.query('commit')
  return swapCount
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
