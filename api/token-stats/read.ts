/** Reads of token statistics: what tokens cost now, and what they did in four windows. */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Int64 } from '../../streams/amount.ts'
import { WINDOW_MINUTES } from '../../streams/trade-window.ts'

export const STATS_WINDOWS = ['5m', '1h', '6h', '24h'] as const
export type StatsWindow = (typeof STATS_WINDOWS)[number]

export type TokenRow = {
  id: number
  mint: string
  symbol: string | null
  name: string | null
  decimals: number | null
  supply: Int64 | null
  first_ms: number | null
  /** SOL per whole token. The columns below are null without one. */
  price: number | null
  price_ms: number | null
  top_pair: string | null
  dex: number | null
  last_sol_reserves: Int64 | null
  migrated_at_ms: number | null
  top_pool_id: number | null
  last_slot: number | null
  /** US dollars a SOL. */
  rate: number | null
}
export type WindowRow = {
  token_id: number
  minutes: number
  volume_lamports: string
  trade_count: Int64
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  buy_count: Int64
  sell_count: Int64
  buyer_count: Int64
  seller_count: Int64
}
/**
 * A token, and the windows in which it traded. `supplyDecimals`: what its supply is counted by; null where no
 * supply, or nothing of its decimals, is known.
 */
export type TokenFigures = {
  token: TokenRow
  supplyDecimals: number | null
  windows: ReadonlyMap<StatsWindow, WindowRow>
}

const listTokens = query<TokenRow>('token-stats/list_tokens')
const listWindows = query<WindowRow>('token-stats/list_windows')

const findDecimals = query<{ pool_id: number; decimals: number }>('token-stats/find_decimals')

const WIDTHS = STATS_WINDOWS.map((name) => WINDOW_MINUTES[name])

/** Of those that are known. */
export async function readTokenStats(
  db: Queryable,
  mints: readonly string[],
): Promise<TokenFigures[]> {
  const tokens = await listTokens(db, [mints])
  const rows = await listWindows(db, [tokens.map(({ id }) => id), WIDTHS])
  const byToken = Map.groupBy(rows, ({ token_id }) => token_id)
  const swapDecimals = await readSwapDecimals(db, tokens)
  return tokens.map((token) => {
    const own = byToken.get(token.id) ?? []
    const windows = STATS_WINDOWS.flatMap((name) => {
      const row = own.find(({ minutes }) => minutes === WINDOW_MINUTES[name])
      return row === undefined ? [] : [[name, row] as const]
    })
    const { supply, decimals, top_pool_id: poolId } = token
    const known = decimals ?? (poolId === null ? undefined : swapDecimals.get(poolId)) ?? null
    return { token, supplyDecimals: supply === null ? null : known, windows: new Map(windows) }
  })
}

/** By top pool, of tokens whose lines tell a supply and not what it is counted by: few. */
async function readSwapDecimals(
  db: Queryable,
  tokens: readonly TokenRow[],
): Promise<Map<number, number>> {
  const pools = tokens.flatMap(({ supply, decimals, top_pool_id: id, last_slot: slot }) =>
    supply === null || decimals !== null || id === null || slot === null ? [] : [{ id, slot }],
  )
  if (pools.length === 0) return new Map()
  const slots = pools.map(({ slot }) => slot)
  const bounds = [Math.min(...slots), Math.max(...slots)]
  const rows = await findDecimals(db, [pools.map(({ id }) => id), slots, ...bounds])
  return new Map(rows.map(({ pool_id: id, decimals }) => [id, decimals]))
}
