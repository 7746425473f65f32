/** Reads of token statistics: prices now, and statistics of windows. */

import type { Int64 } from '../../../domain/amount.ts'
import {
  STATS_WINDOWS,
  type StatsWindow,
  WINDOW_MINUTES,
} from '../../../domain/time/trade-window.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

export type TokenRow = {
  id: number
  mint: string
  symbol: string | null
  name: string | null
  /** By token events, else by the mint's newest swap. */
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
  last_virtual_quote_reserves: Int64 | null
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
  /** Unix ms of the moment after the window. */
  end_ms: Int64
}
/** A token, and the windows in which it traded. */
export type TokenFigures = {
  token: TokenRow
  windows: ReadonlyMap<StatsWindow, WindowRow>
}

const listTokens = query<TokenRow>('token-stats/list_tokens')
const listWindows = query<WindowRow>('token-stats/list_windows')

const WIDTHS = STATS_WINDOWS.map((name) => WINDOW_MINUTES[name])

/** Statistics of the known mints; unknown ones are absent. */
export async function readTokenStats(
  db: Queryable,
  mints: readonly string[],
): Promise<TokenFigures[]> {
  const tokens = await listTokens(db, [mints])
  const rows = await listWindows(db, [tokens.map(({ id }) => id), WIDTHS])
  return figuresOf(tokens, rows)
}

/** Each token with its windows. */
export function figuresOf(tokens: readonly TokenRow[], rows: readonly WindowRow[]): TokenFigures[] {
  const byToken = Map.groupBy(rows, ({ token_id }) => token_id)
  return tokens.map((token) => {
    const own = byToken.get(token.id) ?? []
    const windows = STATS_WINDOWS.flatMap((name) => {
      const row = own.find(({ minutes }) => minutes === WINDOW_MINUTES[name])
      return row === undefined ? [] : [[name, row] as const]
    })
    return { token, windows: new Map(windows) }
  })
}
