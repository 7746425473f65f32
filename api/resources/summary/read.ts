/** Reads PnL and open value of wallets, all their mints together: one statement, however many wallets. */
import type { Exact, Int64 } from '../../../domain/amount.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { PositionRow } from '../pnl/read.ts'

/** Sums are the text of numerics, lamports. */
export type WalletSums = {
  open_count: number
  closed_count: number
  realized_strict: Exact
  realized_adjusted: Exact
  buys_lamports: Exact
  sells_lamports: Exact
  buy_count: Int64
  sell_count: Int64
  covered_sell_count: Int64
  win_count: Int64
  /** Cost of open positions, by the running average and by lots. */
  cost: Exact
  lots_cost: Exact
  first_trade_ms: Int64 | null
  last_trade_ms: Int64 | null
  /** SOL, of open positions with a price. */
  values_sol: readonly number[]
  /** Lamports that these cost, in the same order. */
  costs: readonly string[]
  lots_costs: readonly string[]
}
/** US dollars a SOL, the newest minute that it is made from, and where it comes from. */
type RateQuote = {
  sol_usd: number | null
  rate_ms: number | null
  rate_source: 'swaps' | 'fallback' | null
}
/** `sums` is undefined for a wallet that never traded. */
export type Summary = { sums: WalletSums | undefined; rate: RateQuote }

export type SummaryRow = { [Name in keyof WalletSums]: WalletSums[Name] | null } & RateQuote

const listSummaries = query<SummaryRow>('summary/list_summaries', { isPlannedAnew: true })

/** One a wallet, in the order of the wallets. */
export async function readSummaries(db: Queryable, wallets: readonly string[]): Promise<Summary[]> {
  return (await listSummaries(db, [wallets])).map(summaryOf)
}

export function summaryOf(row: SummaryRow): Summary {
  return { sums: isKnown(row) ? row : undefined, rate: row }
}

function isKnown(row: SummaryRow): row is SummaryRow & WalletSums {
  return row.open_count !== null
}

const HIGHLIGHTS = [
  'biggest_win',
  'biggest_loss',
  'biggest_bag',
  'fastest_flip',
  'longest_hold',
] as const
export type Highlight = (typeof HIGHLIGHTS)[number]
/** An outstanding position, and US dollars a SOL. */
export type HighlightRow = PositionRow & { kind: Highlight; sol_usd: number | null }

const listHighlights = query<HighlightRow>('summary/list_highlights')

/** At most one row a kind; none for a wallet that never traded. */
export function readHighlights(
  db: Queryable,
  wallet: string,
  mode: PnlMode,
): Promise<HighlightRow[]> {
  return listHighlights(db, [wallet, mode])
}
