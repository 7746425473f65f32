/**
 * Reads the holders, whales and smart money of a token from the ledger. Only swaps change a position, so tokens
 * received by a transfer are not included.
 */

import type { Int64 } from '../../../domain/amount.ts'
import { THRESHOLDS } from '../../../domain/wallet/wallet-tag.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { unchangedPrices } from '../past-market/prices.ts'
import { pastStatement } from '../wallets/past-statement.ts'
import { type HolderPosition, readHoldersCursor } from './holders-cursor.ts'
import { pastPositionsOf } from './past-positions.ts'

export type TokenRow = {
  id: number
  symbol: string | null
  name: string | null
  /** By the mint's newest swap, before the first by token events. */
  decimals: number | null
  /** Base units. */
  supply: Int64 | null
  sector: string | null
  /** The value in a token line: any text. */
  uri: string | null
  /** Link, where documents are read. */
  image: string | null
}
/** SOL a whole token, Unix ms of that trade, US dollars a SOL, and the newest indexed swap's time. */
export type PriceRow = {
  price: number | null
  price_ms: number | null
  sol_usd: number | null
  newest_ms: number | null
}
type PricedRow = PriceRow & { id: number }
/** Balances and sums are the text of numerics, base units and lamports. */
type HolderRow = { wallet: string; balance: string; decimals: number; tags: string[] }
export type HolderPage = {
  holder_count: number
  held: string
  rows: HolderRow[]
  /** The position after the last row; undefined at the end. */
  next?: HolderPosition
  price: PriceRow
}
export type StakeRow = {
  wallet: string
  /** Score of a smart wallet. */
  score?: number
  /** Set for whales; false: the newest reconciliation found none on chain, so that no open value counts. */
  is_held?: boolean
  balance: string
  decimals: number
  basis: string
  realized_adjusted: string
  buys_lamports: string
  sells_lamports: string
  largest_buy_lamports: Int64
  first_trade_ms: Int64
  last_trade_ms: Int64
}
export type StakePage = { rows: StakeRow[]; total: number; held: string; price: PriceRow }

type HoldersWanted = { mint: string; limit: number; cursor?: string }
type Totals = { holder_count: number; held: string }
type PageRow = Totals & { [Name in keyof HolderRow]: HolderRow[Name] | null }
type StakePageRow = StakeRow & { total: number; held: string }

const findPriced = query<PricedRow>('tokens/find_priced')
const listHolders = query<PageRow>('tokens/list_holders')
const listPastHolders = pastStatement<PageRow>('tokens/list_holders')
const listWhales = query<StakePageRow>('tokens/list_whales')
const listSmart = query<StakePageRow>('tokens/list_smart')

const NO_PRICE: PriceRow = { price: null, price_ms: null, sol_usd: null, newest_ms: null }
const NO_HOLDERS: HolderPage = { holder_count: 0, held: '0', rows: [], price: NO_PRICE }

/** Empty for an unknown mint. Throws INVALID_PARAM for a cursor of another list. */
export async function readHolders(
  db: Queryable,
  { mint, limit, cursor }: HoldersWanted,
): Promise<HolderPage> {
  const from = cursor === undefined ? undefined : readHoldersCursor(mint, cursor)
  const [token] = await findPriced(db, [mint])
  if (token === undefined) return NO_HOLDERS
  const found = await listHolders(db, [token.id, from?.balance, from?.wallet, limit + 1])
  return holderPage(found, limit, token)
}

/** The same as of the slot, without tags, which are of now. Throws ApiError also where too many swaps are folded. */
export async function readPastHolders(
  past: AsOfReading,
  { mint, limit, cursor }: HoldersWanted,
): Promise<HolderPage> {
  const from = cursor === undefined ? undefined : readHoldersCursor(mint, cursor)
  const figures = await pastPositionsOf(past, mint)
  if (figures === undefined) return NO_HOLDERS
  const { tokenId, decimals, prices, rate } = figures
  const parameters = [tokenId, from?.balance ?? null, from?.wallet ?? null, limit + 1]
  const found = await listPastHolders(past, parameters, figures)
  const [own] = prices.length > 0 ? prices : await unchangedPrices(past, [tokenId])
  const { price = null, price_ms = null } = own ?? {}
  const priced = { price, price_ms, sol_usd: rate.rate, newest_ms: await past.latestMs() }
  return holderPage(
    found.map((row) => ({ ...row, decimals })),
    limit,
    priced,
  )
}

function holderPage(found: readonly PageRow[], limit: number, token: PriceRow): HolderPage {
  const { holder_count = 0, held = '0' } = found[0] ?? {}
  const all = found.filter((row): row is PageRow & HolderRow => row.wallet !== null)
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  const isMore = all.length > limit && last !== undefined
  return { holder_count, held, rows, price: token, ...(isMore ? { next: last } : {}) }
}

/** Wallets that made a large buy or have a large open value; empty for an unknown mint. */
export async function readWhales(db: Queryable, mint: string, limit: number): Promise<StakePage> {
  const [token] = await findPriced(db, [mint])
  if (token === undefined) return NO_POSITIONS
  const { buyLamports, openLamports } = THRESHOLDS.whale
  const bounds = [buyLamports, Number(openLamports), limit]
  return pageOf(await listWhales(db, [token.id, token.price, ...bounds]), token)
}

/** Wallets tagged as smart money in any mint that traded this one; empty for an unknown mint. */
export async function readSmartMoney(
  db: Queryable,
  mint: string,
  limit: number,
): Promise<StakePage> {
  const [token] = await findPriced(db, [mint])
  if (token === undefined) return NO_POSITIONS
  return pageOf(await listSmart(db, [token.id, limit]), token)
}

const NO_POSITIONS: StakePage = { rows: [], total: 0, held: '0', price: NO_PRICE }

function pageOf(rows: readonly StakePageRow[], price: PriceRow): StakePage {
  const { total = 0, held = '0' } = rows[0] ?? {}
  return { rows: [...rows], total, held, price }
}
