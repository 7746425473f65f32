/** Reads who traded tokens in minutes, by the stored swaps up to a slot. */
import { leastOf } from '../../domain/numbers/extremes.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { readBoth } from '../sealed/pages.ts'
import { swapStatement } from '../sealed/statement.ts'
import { ofMinutes } from './pools.ts'

/** Trades of a wallet on one side of a token in a minute. `wallet`: mixed, as buckets of traders have it. */
export type PastTrade = {
  token_id: number
  bucket_ms: number
  is_buy: boolean
  wallet: number
  trade_count: number
}
/** A minute of a pool with a swap up to the slot. */
type Minute = { readonly pool_id: number; readonly bucket_ms: number; readonly first_slot: number }

const listTrades = swapStatement<PastTrade>('swap-history/list_past_trades')

export async function listPastTrades(
  db: Queryable,
  minutes: readonly Minute[],
  slot: number,
): Promise<PastTrade[]> {
  if (minutes.length === 0) return []
  const firsts = minutes.map(({ first_slot }) => first_slot)
  const least = leastOf(firsts)
  const parameters = [
    int4Array(minutes.map(({ pool_id }) => pool_id)),
    int8Array(minutes.map(({ bucket_ms }) => bucket_ms)),
    int8Array(firsts),
    ...[slot, least],
  ]
  return readBoth(db, least, listTrades, parameters, (sealed) =>
    ofMinutes(
      db,
      sealed,
      minutes.map((minute) => ({ ...minute, last_slot: slot })),
    ),
  )
}
