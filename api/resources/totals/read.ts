/** Reads totals since the first indexed swap: of one trader from its positions, of everything from stored sums. */
import type { Exact, Int64 } from '../../../domain/amount.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

/** Sums are the text of numerics, lamports. */
export type TraderRow = {
  token_count: number
  transaction_count: Int64
  buy_count: Int64
  sell_count: Int64
  covered_sell_count: Int64
  win_count: Int64
  buys_lamports: Exact
  sells_lamports: Exact
  uncovered_lamports: Exact
  realized_strict: Exact
  realized_adjusted: Exact
  first_trade_ms: Int64 | null
  last_trade_ms: Int64 | null
}
const sumTrader = query<TraderRow>('totals/sum_trader')

/** Undefined for a wallet that never traded. */
export async function readTrader(db: Queryable, wallet: string): Promise<TraderRow | undefined> {
  return (await sumTrader(db, [wallet]))[0]
}
