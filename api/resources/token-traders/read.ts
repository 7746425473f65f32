/** Reads the traders of a token by realized PnL, and its first buyers with their positions. */
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { type OwnedRow, readPairs, readPastPairs } from '../batches/read.ts'
import { pastPositionsOf } from '../tokens/past-positions.ts'
import { type FirstBuy, readFirstBuys } from '../tokens/read-profile.ts'
import { pastStatement } from '../wallets/past-statement.ts'
import { readPastFirstBuys } from './past-first-buys.ts'
import { readTradersCursor, type TraderPosition } from './traders-cursor.ts'

type TraderRow = OwnedRow & { realized: string }
type PageRow = { total: number } & { [Name in keyof TraderRow]: TraderRow[Name] | null }

export type TraderPage = { total: number; rows: TraderRow[]; next?: TraderPosition }
type TradersWanted = { token: string; pnl_mode: PnlMode; limit: number; cursor?: string }
/** `row` is undefined where the ledger has not read the buy. */
export type FirstBuyer = FirstBuy & { row: OwnedRow | undefined }

const findPriced = query<{ id: number }>('tokens/find_priced')
const listTraders = query<PageRow>('token-traders/list_traders')
const listPastTraders = pastStatement<PageRow>('token-traders/list_traders')

/** Empty for an unknown token. Throws INVALID_PARAM for a cursor of another list. */
export async function readTraders(
  db: Queryable,
  { token, pnl_mode, limit, cursor }: TradersWanted,
): Promise<TraderPage> {
  const from = cursor === undefined ? undefined : readTradersCursor(token, pnl_mode, cursor)
  const [known] = await findPriced(db, [token])
  if (known === undefined) return { total: 0, rows: [] }
  const after = [from?.realized ?? null, from?.wallet ?? null]
  return traderPage(await listTraders(db, [known.id, pnl_mode, ...after, limit + 1]), limit)
}

/** The same as of the slot, without tags, which are of now. Throws ApiError also where too many swaps are folded. */
export async function readPastTraders(
  past: AsOfReading,
  { token, pnl_mode, limit, cursor }: TradersWanted,
): Promise<TraderPage> {
  const from = cursor === undefined ? undefined : readTradersCursor(token, pnl_mode, cursor)
  const figures = await pastPositionsOf(past, token)
  if (figures === undefined) return { total: 0, rows: [] }
  const { tokenId, decimals } = figures
  const after = [from?.realized ?? null, from?.wallet ?? null]
  const found = await listPastTraders(past, [tokenId, pnl_mode, ...after, limit + 1], figures)
  const rows = found.map((row) => ({ ...row, decimals: row.decimals ?? decimals }))
  return traderPage(rows, limit)
}

function traderPage(found: readonly PageRow[], limit: number): TraderPage {
  const all = found.filter((row): row is PageRow & TraderRow => row.wallet !== null)
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  const isMore = all.length > limit && last !== undefined
  return { total: found[0]?.total ?? 0, rows, ...(isMore ? { next: last } : {}) }
}

/** In the order of their first buys. Rejects with NOT_FOUND for a mint of which nothing is indexed. */
export async function readFirstBuyers(
  db: Queryable,
  token: string,
  limit: number,
): Promise<FirstBuyer[]> {
  const buys = (await readFirstBuys(db, token)).slice(0, limit)
  return withPositions(buys, token, (pairs) => readPairs(db, pairs))
}

/** The same as of the slot. Rejects with ApiError also where too many swaps are folded, and where a fact is not stored. */
export async function readPastFirstBuyers(
  past: AsOfReading,
  token: string,
  limit: number,
): Promise<FirstBuyer[]> {
  const buys = (await readPastFirstBuys(past, token)).slice(0, limit)
  return withPositions(buys, token, (pairs) => readPastPairs(past, pairs))
}

async function withPositions(
  buys: readonly FirstBuy[],
  token: string,
  read: (pairs: { wallet: string; mint: string }[]) => Promise<(OwnedRow | undefined)[]>,
): Promise<FirstBuyer[]> {
  if (buys.length === 0) return []
  const rows = await read(buys.map(({ wallet }) => ({ wallet, mint: token })))
  return buys.map((buy, index) => ({ ...buy, row: rows[index] }))
}
