/**
 * Counts the traders of a batch's candles in the pool actor's commit: reads in which minutes its wallets traded in their
 * pools before, adds what changes to the candles, and stores the minutes. After the pools' rows of the transaction are
 * locked: a rebuild of candles writes the same rows.
 */

import {
  addFirsts,
  collectChanges,
  type FirstChange,
  firstChanges,
  type Minutes,
  sorted,
} from '../../../domain/market/candle/traders.ts'
import { bucketOf, DAY_MINUTES, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import type { PoolCandles } from '../candle.ts'
import type { AcceptedSwap } from '../pool-state.ts'

/** A wallet in a pool on a day, as pool_trader stores it. */
export type TraderDay = { poolId: number; walletId: number; day: number }

const listPoolTraders = query<{ ordinal: number; minutes: string }>('candles/list_pool_traders')
const mergePoolTraders = query('candles/merge_pool_traders')

/** The candles get their traders; the returned function stores the minutes. */
export async function countTraders(
  connection: Connection,
  accepted: readonly AcceptedSwap[],
  walletIds: ReadonlyMap<string, number>,
  candles: readonly PoolCandles[],
): Promise<() => Promise<unknown>> {
  const traders = tradersOf(accepted, walletIds)
  if (traders.length === 0) return async () => {}
  const stored = await storedMinutes(connection, traders)
  const changed: (TraderDay & { minutes: Minutes })[] = []
  const byPool = new Map<number, FirstChange[]>()
  for (const [index, trader] of traders.entries()) {
    const before = stored[index]!
    const minutes = sorted(before.length === 0 ? trader.added : trader.added.union(new Set(before)))
    if (minutes.length === before.length) continue
    changed.push({ ...trader, minutes })
    collectChanges(byPool, trader.poolId, firstChanges(before, minutes))
  }
  for (const pool of candles) addFirsts(pool, byPool.get(pool.state.poolId) ?? [])
  return () => storeMinutes(connection, changed)
}

function tradersOf(
  accepted: readonly AcceptedSwap[],
  walletIds: ReadonlyMap<string, number>,
): (TraderDay & { added: Set<number> })[] {
  const traders: (TraderDay & { added: Set<number> })[] = []
  /** By pool and wallet, one a day. */
  const byPool = new Map<number, Map<number, typeof traders>>()
  for (const { state, swap } of accepted) {
    const { poolId } = state
    const minute = Math.floor(swap.timestamp / MINUTE_MS)
    const day = Math.floor(minute / DAY_MINUTES)
    let own = byPool.get(poolId)
    if (own === undefined) {
      own = new Map()
      byPool.set(poolId, own)
    }
    const walletId = walletIds.get(swap.user)!
    const days = own.get(walletId)
    const known = days?.find((each) => each.day === day)
    if (known !== undefined) {
      known.added.add(minute)
      continue
    }
    const trader = { poolId, walletId, day, added: new Set([minute]) }
    if (days === undefined) own.set(walletId, [trader])
    else days.push(trader)
    traders.push(trader)
  }
  return traders
}

/** Minutes since 1970, ascending, alongside each trader; none where nothing is stored. */
export async function storedMinutes(
  connection: Connection,
  traders: readonly TraderDay[],
): Promise<Minutes[]> {
  const found: Minutes[] = traders.map(() => [])
  for (const { ordinal, minutes } of await listPoolTraders(connection, keys(traders))) {
    const { day } = traders[ordinal - 1]!
    found[ordinal - 1] = minutes.split(',').map((minute) => day * DAY_MINUTES + Number(minute))
  }
  return found
}

export async function storeMinutes(
  connection: Connection,
  traders: readonly (TraderDay & { minutes: Minutes })[],
): Promise<void> {
  if (traders.length === 0) return
  const texts = traders.map(({ minutes }) => {
    const ofDay = minutes.map((minute) => minute - bucketOf(minute, DAY_MINUTES))
    return `{${ofDay.join()}}`
  })
  await mergePoolTraders(connection, [...keys(traders), texts])
}

export const keys = (traders: readonly TraderDay[]): Buffer[] => [
  int4Array(traders.map(({ poolId }) => poolId)),
  int4Array(traders.map(({ day }) => day)),
  int4Array(traders.map(({ walletId }) => walletId)),
]
