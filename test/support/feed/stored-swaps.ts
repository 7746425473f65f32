// Swaps as the tables have them, to be compared with the events of a feed.

import type { Db } from '../../../sql/db.ts'

const NAMES = 'signature dex ix_index pair_address user swap_type sol_amount token_amount'.split(
  ' ',
)
/** Identities of a feed's swaps, sorted: int64 as texts. */
export const identities = (events: readonly Record<string, unknown>[]): string[] =>
  events.map((event) => NAMES.map((name) => String(event[name])).join('|')).sort()

/** Swaps of the tables from a slot on, as far as their identity goes. */
export async function storedSwaps(db: Db, slot: number): Promise<Record<string, unknown>[]> {
  const found = await db.query(
    `select signature, 'venue_' || swap.dex as dex, ix_index, pair_address, wallet.address as user,
       case when is_buy then 'buy' else 'sell' end as swap_type, sol_amount::text, token_amount::text
     from swap join pool on pool.id = pool_id join wallet on wallet.id = wallet_id
     where slot >= $1`,
    [slot],
  )
  return found.rows
}
