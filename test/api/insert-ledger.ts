// Swaps with the positions and hours that the ledger makes of them, and what tokens cost, in the tables.

import type { Db } from '../../sql/db.ts'
import type { Swap } from '../../streams/swap.ts'
import { rebuildLedger } from '../../workers/rebuild.ts'
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

/** Empties what insertLedger fills. */
export async function clearLedger(db: Db): Promise<void> {
  await db.query(
    `truncate swap, swap_signature, slot_span, pool, wallet, token, pool_event, position,
       position_hour, lot_chunk, position_snapshot, position_refold, reconciliation, held_token
     restart identity cascade`,
  )
}
