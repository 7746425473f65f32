/**
 * Reads a wallet's ledger: a page of its positions, the value of its open positions, its days.
 *
 * One statement reads the positions, their state and their prices, so that a page and its total come from one
 * snapshot. A wallet without swaps has no id and nothing to read.
 */

import type { Exact, Int64 } from '../../../domain/amount.ts'
import { QUOTE_MINTS } from '../../../domain/quote-mint.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { DayFlow } from './performance.ts'
import type { RequestReconciliation } from './request-reconciliation.ts'

/** Sums are the text of numerics; `price` is SOL a whole token, null without one. */
export type PositionRow = {
  mint: string
  balance: string
  decimals: number
  basis: string
  lots_cost: string
  realized_strict: string
  realized_adjusted: string
  buys_lamports: string
  sells_lamports: string
  buy_count: number
  sell_count: number
  is_arbitrageur: boolean
  uncovered_quantity: string
  uncovered_lamports: string
  largest_buy_lamports: Int64
  largest_sell_lamports: Int64
  fastest_flip_ms: number | null
  longest_hold_ms: number | null
  first_trade_ms: Int64
  last_trade_ms: Int64
  /** In alphabetical order. */
  tags: string[]
  price: number | null
}

/** Alongside the rows of a page. */
type PageFigures = {
  /** Rows of the whole paged set. */
  total: number
  /** US dollars a SOL. */
  sol_usd: number | null
  /** When the newest comparison with the chain began; null before the first: the counts mean nothing. */
  reconciled_ms: number | null
  held_count: number
  unmatched_count: number
}
export type PositionPage = PageFigures & { rows: PositionRow[] }

export type PositionFilter = {
  status: 'open' | 'closed' | 'all'
  mint?: string
  min_value_sol?: number
  sort: 'value' | 'realized' | 'unrealized'
  limit: number
  offset: number
}

type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null }
export type PageRow = PageFigures & Nullable<PositionRow & { token_id: number }>
/** Sums of a day, lamports. */
type DayRow = { day_ms: number; realized: Exact; flow: Exact }

const listPositions = query<PageRow>('pnl/list_positions')
/** Position of one mint. Planned per execution: a generic plan would scan all positions of the wallet. */
const findPosition = query<PageRow>('pnl/list_positions', { isPlannedAnew: true })
const readExposureRow = query<Exposure>('pnl/read_exposure')
export const listDays = query<DayRow>('pnl/list_days')

export const QUOTE_ADDRESSES = QUOTE_MINTS.map(({ tokenAddress }) => tokenAddress)

export const NO_POSITIONS: PositionPage = {
  rows: [],
  total: 0,
  sol_usd: null,
  reconciled_ms: null,
  held_count: 0,
  unmatched_count: 0,
}

/** Calls `onPass` for a known wallet with the time at which its newest reconciliation began. */
export async function readPositions(
  db: Queryable,
  wallet: string,
  mode: PnlMode,
  filter: PositionFilter,
  onPass: RequestReconciliation,
): Promise<PositionPage> {
  const list = filter.mint === undefined ? listPositions : findPosition
  const found = await list(db, pageParameters(wallet, mode, filter))
  const [first] = found
  if (first === undefined) return NO_POSITIONS
  onPass(wallet, first.reconciled_ms)
  return { ...first, rows: found.filter(isPosition) }
}

/** Parameters of pnl/list_positions. */
export function pageParameters(wallet: string, mode: PnlMode, filter: PositionFilter): unknown[] {
  const { status, mint = null, min_value_sol: leastValue = null, sort, limit, offset } = filter
  return [wallet, status, mint, leastValue, mode, sort, limit, offset]
}

/** Whether it is a row of the page, which an empty page has one without. */
export function isPosition(row: PageRow): row is PageRow & PositionRow & { token_id: number } {
  return row.mint !== null
}

export type Exposure = {
  open_count: number
  closed_count: number
  /** Open ones. */
  quote_count: number
  arbitrageur_count: number
  /** SOL, of open positions with a price, and of those in quote mints among them. */
  values_sol: number[]
  quote_values_sol: number[]
  /** Lamports that the positions of `values_sol` cost, in their order: by the running average, and of their lots. */
  costs: string[]
  lots_costs: string[]
  /** Lamports that all open positions cost, likewise. */
  cost: string
  lots_cost: string
  /** US dollars a SOL. */
  sol_usd: number | null
}

/** Returns zeros for a wallet that never traded. */
export async function readExposure(db: Queryable, wallet: string): Promise<Exposure> {
  const [found] = await readExposureRow(db, [wallet, QUOTE_ADDRESSES])
  return found as Exposure
}

/** All days of a wallet with a trade, oldest first. */
export async function readDays(db: Queryable, wallet: string, mode: PnlMode): Promise<DayFlow[]> {
  return (await listDays(db, [wallet, mode, null])).map(dayFlowOf)
}

export const dayFlowOf = ({ day_ms, realized, flow }: DayRow): DayFlow => ({
  dayMs: day_ms,
  realized: BigInt(realized),
  flow: BigInt(flow),
})
