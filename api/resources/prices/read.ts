/**
 * Reads prices: of several tokens now, of one at a time.
 *
 * The pool of a time is the one with the largest volume of the day that ends with its minute; where none traded in that
 * day, or its own first price is later, the pool with the newest price.
 */

import type { Int64 } from '../../../domain/amount.ts'
import { PRICED_TOKENS_MIN } from '../../../domain/events/swap.ts'
import { bucketOf, DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { AGENT_TRADE, DUST_BASE_UNITS } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { choosePool } from '../candles/choose-pool.ts'

export type PriceRow = { mint: string; price: number; price_ms: number; sol_usd: number | null }
/** A swap that set a price. */
export type PricingSwap = {
  signature: string
  slot: number
  timestamp_ms: number
  sol_amount: Int64
  token_amount: Int64
  quote_decimals: number
  pair_address: string
}

/** The swap with the highest price, and the price of now with US dollars a SOL. */
export type PeakRow = PricingSwap & {
  dex: number
  user: string
  price: number
  price_ms: number
  sol_usd: number | null
}

const PRICED = [DUST_BASE_UNITS, PRICED_TOKENS_MIN, AGENT_TRADE] as const

const findPeak = query<PeakRow>('prices/find_peak')
const listPrices = query<PriceRow>('prices/list_prices')
const listPools = query<{ id: number }>('prices/list_pools')
const findPriceAt = query<PricingSwap>('prices/find_price_at')

export const readPrices = (db: Queryable, mints: readonly string[]): Promise<PriceRow[]> =>
  listPrices(db, [mints])

/** Undefined: the token has no price at or before the time. */
export async function readPriceAt(
  db: Queryable,
  mint: string,
  atMs: number,
): Promise<PricingSwap | undefined> {
  const endMs = bucketOf(atMs, MINUTE_MS) + MINUTE_MS
  const day = { from: Math.max(0, endMs - DAY_MS), to: endMs }
  const { pool, shown } = await choosePool(db, { token_address: mint }, day)
  if (pool === undefined) return undefined
  const own = shown.chosen_by === 'range_volume' ? await find(db, [pool.id], atMs) : undefined
  if (own !== undefined) return own
  const pools = await listPools(db, [mint])
  return find(
    db,
    pools.map(({ id }) => id),
    atMs,
  )
}

async function find(db: Queryable, pools: readonly number[], atMs: number) {
  const [found] = await findPriceAt(db, [pools, atMs, ...PRICED])
  return found
}

/** Undefined: the token has no price. */
export async function readPeak(db: Queryable, mint: string): Promise<PeakRow | undefined> {
  return (await findPeak(db, [mint, ...PRICED]))[0]
}
