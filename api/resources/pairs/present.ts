/** Pairs as the interface shows them: the same for REST and GraphQL. Pure. */
import { lamportsToSol } from '../../../domain/amount.ts'
import { venueOf } from '../../../domain/venue.ts'
import { liquiditySol } from './liquidity.ts'
import type { PairPage, PairRow } from './read.ts'

function presentPair(row: PairRow) {
  return {
    pair_address: row.pair_address,
    token_address: row.token_address,
    protocol: venueOf(row.dex).name,
    dex: row.dex,
    recent_volume_sol: lamportsToSol(row.volume_lamports),
    recent_trade_count: row.trade_count,
    swap_count: row.swap_count,
    price_sol: row.last_price,
    last_price_timestamp: row.last_price_ms,
    last_trade_timestamp: row.newest_ms,
    liquidity_sol: liquiditySol(row),
  }
}

export function presentPairs({ rows, next }: PairPage<string>) {
  return { success: true as const, data: rows, next_cursor: next }
}

export function presentTokenPairs({ rows, next }: PairPage<PairRow>) {
  return { success: true as const, data: rows.map(presentPair), next_cursor: next }
}
