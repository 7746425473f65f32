// Stores swaps with the positions and hours that the ledger folds from them, and prices of tokens.

import type { Swap } from '../../../domain/events/swap.ts'
import type { Db } from '../../../sql/db.ts'
import { rebuildLedger } from '../../../workers/rebuild/ledger.ts'
import { SILENT } from './api-under-test.ts'
import { insertSwaps } from './insert-swaps.ts'

const LANE_COUNT = 4

/** Stores the swaps and folds the whole ledger afresh from all that are stored. */
export async function insertLedger(db: Db, swaps: readonly Swap[]): Promise<void> {
  if (swaps.length > 0) await insertSwaps(db, swaps)
  await rebuildLedger(db, { laneCount: LANE_COUNT, log: SILENT })
}

/** The last priced trade of every pool of a mint, in SOL a whole token. */
export async function priceMints(db: Db, prices: Record<string, number>): Promise<void> {
  for (const [mint, price] of Object.entries(prices)) {
    await db.query(
      `update pool set last_price = $2, last_price_ms = (select max(last_ms) from slot_span)
       from token where token.id = token_id and address = $1`,
      [mint, price],
    )
  }
}

/** Stores a pass that found so many base units of each mint on chain, and none of others. */
export async function insertPass(
  db: Db,
  wallet: string,
  held: Record<string, number>,
): Promise<void> {
  const found = 'select id from wallet where address = $1'
  await db.query(`delete from held_token where wallet_id = (${found})`, [wallet])
  await db.query(
    `with pass as (
       insert into reconciliation select id, 1 from (${found}) as found on conflict do nothing
     )
     insert into held_token
     select found.id, mint, quantity, 6
     from (${found}) as found, unnest($2::text[], $3::numeric[]) as given (mint, quantity)`,
    [wallet, Object.keys(held), Object.values(held)],
  )
}

/** Empties what insertLedger fills. */
export async function clearLedger(db: Db): Promise<void> {
  await db.query(
    `truncate swap, swap_signature, slot_span, pool, wallet, token, pool_event, position,
       position_hour, lot_chunk, position_snapshot, position_refold, reconciliation, held_token
     restart identity cascade`,
  )
}
