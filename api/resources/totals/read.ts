/** Reads totals since the first indexed swap: of one trader from its positions, of everything from stored sums. */
import type { Exact, Int64 } from '../../../domain/amount.ts'
import type { PositionState } from '../../../domain/ledger/position.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { foldPositions, pastWallet } from '../wallets/past.ts'

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
  return (await sumTrader(db, [wallet, null]))[0]
}

/** The same as of a slot: undefined for a wallet without a swap up to it. */
export async function readPastTrader(
  past: AsOfReading,
  user: string,
): Promise<TraderRow | undefined> {
  const wallet = await pastWallet(past, user)
  if (wallet === undefined) return undefined
  const [stored] = await sumTrader(past.db, [user, wallet.changed])
  const folded = [...(await foldPositions(past, wallet)).values()].map(totalsOf)
  const [first, ...others] = stored === undefined ? folded : [stored, ...folded]
  return first && others.reduce(sumOf, first)
}

const totalsOf = (position: PositionState): TraderRow => ({
  token_count: 1,
  transaction_count: position.transactionCount,
  buy_count: position.buyCount,
  sell_count: position.sellCount,
  covered_sell_count: position.coveredSellCount,
  win_count: position.winCount,
  buys_lamports: position.buysLamports,
  sells_lamports: position.sellsLamports,
  uncovered_lamports: position.uncoveredLamports,
  realized_strict: position.realizedStrict,
  realized_adjusted: position.realizedAdjusted,
  first_trade_ms: position.firstTradeMs,
  last_trade_ms: position.lastTradeMs,
})

const sumOf = (one: TraderRow, other: TraderRow): TraderRow => ({
  token_count: one.token_count + other.token_count,
  transaction_count: Number(one.transaction_count) + Number(other.transaction_count),
  buy_count: Number(one.buy_count) + Number(other.buy_count),
  sell_count: Number(one.sell_count) + Number(other.sell_count),
  covered_sell_count: Number(one.covered_sell_count) + Number(other.covered_sell_count),
  win_count: Number(one.win_count) + Number(other.win_count),
  buys_lamports: BigInt(one.buys_lamports) + BigInt(other.buys_lamports),
  sells_lamports: BigInt(one.sells_lamports) + BigInt(other.sells_lamports),
  uncovered_lamports: BigInt(one.uncovered_lamports) + BigInt(other.uncovered_lamports),
  realized_strict: BigInt(one.realized_strict) + BigInt(other.realized_strict),
  realized_adjusted: BigInt(one.realized_adjusted) + BigInt(other.realized_adjusted),
  first_trade_ms: Math.min(Number(one.first_trade_ms), Number(other.first_trade_ms)),
  last_trade_ms: Math.max(Number(one.last_trade_ms), Number(other.last_trade_ms)),
})
