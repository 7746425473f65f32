/**
 * Traders of candles after swaps were retracted: the minutes that their wallets have left in the pools, and what that
 * changes. A minute stays while another swap of the wallet in it is left.
 */

import type { SwapRow } from '../../../domain/events/stored-row.ts'
import {
  collectChanges,
  type FirstChange,
  firstChanges,
  type Minutes,
} from '../../../domain/market/candle/traders.ts'
import { DAY_MINUTES, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { keys, storedMinutes, storeMinutes, type TraderDay } from '../write/trader-write.ts'

/** A retracted swap. */
export type TakenRow = SwapRow & { wallet_id: number }
type Leaving = TraderDay & { user: string; minutes: Set<number> }

const deleteGoneTraders = query('retraction/delete_gone_traders')

/** `left`: the swaps that are left of the minutes of those taken. Returns the changes by pool. */
export async function takeMinutes(
  connection: Connection,
  taken: readonly TakenRow[],
  left: readonly SwapRow[],
): Promise<Map<number, FirstChange[]>> {
  const isLeft = new Set(left.map((row) => keyOf(row, minuteOf(row))))
  const leaving = leavingOf(taken.filter((row) => !isLeft.has(keyOf(row, minuteOf(row)))))
  const stored = await storedMinutes(connection, leaving)
  const changes = new Map<number, FirstChange[]>()
  const after: (TraderDay & { minutes: Minutes })[] = []
  for (const [index, trader] of leaving.entries()) {
    const before = stored[index]!
    const minutes = before.filter((minute) => !trader.minutes.has(minute))
    after.push({ ...trader, minutes })
    collectChanges(changes, trader.poolId, firstChanges(before, minutes))
  }
  await storeMinutes(
    connection,
    after.filter(({ minutes }) => minutes.length > 0),
  )
  await deleteGoneTraders(connection, keys(after.filter(({ minutes }) => minutes.length === 0)))
  return changes
}

const minuteOf = (row: SwapRow): number => Math.floor(row.timestamp_ms / MINUTE_MS)

const keyOf = (row: SwapRow, time: number): string => `${row.pool_id} ${row.user_address} ${time}`

function leavingOf(rows: readonly TakenRow[]): Leaving[] {
  const leaving = new Map<string, Leaving>()
  for (const row of rows) {
    const minute = minuteOf(row)
    const day = Math.floor(minute / DAY_MINUTES)
    const key = keyOf(row, day)
    const { pool_id: poolId, wallet_id: walletId, user_address: user } = row
    const known = leaving.get(key) ?? { poolId, walletId, user, day, minutes: new Set() }
    known.minutes.add(minute)
    leaving.set(key, known)
  }
  return [...leaving.values()]
}
