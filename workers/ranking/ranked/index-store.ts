/** Reads the facts of tokens other than their trades: mint, sector, first swap, creator. */

import { storedSearchKey } from '../../../domain/text/search-key.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { BuyerBuckets } from '../series/buyer-buckets.ts'
import type { TokenSeries } from '../series/token-series.ts'

export type TokenRow = {
  token_id: number
  mint: string
  sector: string | null
  first_ms: number
  creator_id: number | null
  has_creator: boolean
}

export const listActiveTokens = query<{ token_id: number }>('ranking/list_active_tokens')
const listTokens = query<TokenRow>('ranking/list_tokens')

/** Facts of tokens; the sector is folded to the key by which requests select a list. */
export async function readTokens(db: Queryable, tokenIds: readonly number[]): Promise<TokenRow[]> {
  const rows = await listTokens(db, [int4Array(tokenIds)])
  return rows.map((row) => ({
    ...row,
    sector: row.sector === null ? null : storedSearchKey(row.sector),
  }))
}

export function emptySeries(row: TokenRow): TokenSeries {
  return {
    tokenId: row.token_id,
    mint: row.mint,
    sector: row.sector,
    creatorId: row.creator_id,
    firstMs: row.first_ms,
    pools: new Map(),
    buyerMinutes: new BuyerBuckets(),
    buyerHours: new BuyerBuckets(),
    creatorSales: [],
    holderStats: undefined,
  }
}
