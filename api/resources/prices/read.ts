/**
 * Reads prices: of several tokens now, of one at a time.
 *
 * The pool of a time is the one with the largest volume of the day that ends with its minute; where none traded in that
 * day, or its own first price is later, the pool with the newest price.
 */

import { bucketOf, DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { findPriceAt, type PricingSwap } from '../../../history/swaps/tokens.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { choosePool } from '../candles/choose-pool.ts'
import { type PastPrice, type PastRate, pastPrices, pastRate } from '../past-market/prices.ts'

export type PriceRow = { mint: string; price: number; price_ms: number; sol_usd: number | null }
const listPrices = query<PriceRow>('prices/list_prices')
const listPools = query<{ id: number }>('prices/list_pools')
const listTokens = query<{ id: number; mint: string }>('prices/list_tokens')

export const readPrices = (db: Queryable, mints: readonly string[]): Promise<PriceRow[]> =>
  listPrices(db, [mints])

/** Prices as of the slot, by mint. */
export async function readPastPrices(
  past: AsOfReading,
  mints: readonly string[],
): Promise<PriceRow[]> {
  const tokens = await listTokens(past.db, [mints])
  const ids = tokens.map(({ id }) => id)
  const reading: [Promise<PastPrice[]>, Promise<PastRate>] = [pastPrices(past, ids), pastRate(past)]
  const [prices, { rate }] = await Promise.all(reading)
  const byToken = new Map(prices.map((row) => [row.token_id, row]))
  return tokens.flatMap(({ id, mint }) => {
    const row = byToken.get(id)
    return row === undefined ? [] : [{ ...row, mint, sol_usd: rate }]
  })
}

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
  const own =
    shown.chosen_by === 'range_volume' ? await findPriceAt(db, [pool.id], atMs) : undefined
  if (own !== undefined) return own
  const pools = await listPools(db, [mint])
  return findPriceAt(
    db,
    pools.map(({ id }) => id),
    atMs,
  )
}
