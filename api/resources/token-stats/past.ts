/**
 * Reads statistics of tokens as of a slot: those of an installation that was fed the events up to it. Windows and traders are read
 * by the queries of the functions of now, through a view of their tables as of the slot.
 */
import { bucketOf, HOUR_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { STATS_WINDOWS, WINDOW_MINUTES } from '../../../domain/time/trade-window.ts'
import { listMinuteSwaps } from '../../../history/swaps/pools.ts'
import { listPastDecimals } from '../../../history/swaps/tokens.ts'
import { int4Array, int8Array } from '../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query, queryOf } from '../../../sql/query.ts'
import { functionQuery } from '../../../sql/statements/function-body.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import { pastPrices, pastRate, tradesOf } from '../past-market/prices.ts'
import { expectStated, listPastTokens, type PastToken } from '../past-market/tokens.ts'
import { pastView } from '../past-market/view.ts'
import { figuresOf, type TokenFigures, type TokenRow, type WindowRow } from './read.ts'

type PoolRow = Pick<
  TokenRow,
  'top_pair' | 'dex' | 'last_sol_reserves' | 'migrated_at_ms' | 'last_virtual_quote_reserves'
> & { id: number }
/** `window_minutes`: width of the window. */
type TradedRow = Pick<
  WindowRow,
  'token_id' | 'volume_lamports' | 'trade_count' | 'open' | 'high' | 'low' | 'close'
> & { window_minutes: number }
type TradersRow = Pick<
  WindowRow,
  'token_id' | 'buy_count' | 'sell_count' | 'buyer_count' | 'seller_count'
> & { window_minutes: number }
/** `stored_ms`: the time of the token's first swap; null where a swap after the slot may have changed it. */
type StartRow = {
  token_id: number
  pool_id: number
  bucket_ms: number
  first_slot: number
  trade_count: number
  stored_ms: number | null
}

const WIDTHS = STATS_WINDOWS.map((name) => WINDOW_MINUTES[name])
const WIDEST_MS = Math.max(...WIDTHS) * MINUTE_MS

const listPools = query<PoolRow>('token-stats/list_top_pools')
const listStarts = query<StartRow>('as-of/list_past_starts')
const listTraded = queryOf<TradedRow>(
  'token-stats.token_windows',
  functionQuery('token_windows', {
    ids: '$1::integer[]',
    widths: '$2::integer[]',
    newest_minute_ms: '$3::bigint',
    end_ms: '$4::bigint',
    first_ms: '$5::bigint',
    never_ms: '9223372036854775807',
  }),
)
const listTraders = queryOf<TradersRow>(
  'token-stats.token_traders',
  functionQuery('token_traders', {
    ids: '$1::integer[]',
    windows: '$2::integer[]',
    end_ms: '$3::bigint',
    hour_ms: '$4::bigint',
    first_ms: '$5::bigint',
    heads: '$6::bigint[]',
  }),
)

/**
 * Statistics of the mints that were known; others are absent. Throws ApiError where a fact is not stored, and where too many swaps
 * are folded.
 */
export async function readPastTokenStats(
  past: AsOfReading,
  mints: readonly string[],
): Promise<TokenFigures[]> {
  const tokens = await listPastTokens(past, mints)
  if (tokens.length === 0) return []
  for (const token of tokens) expectStated(past, token, ['symbol', 'name'])
  const tokenIds = tokens.map(({ id }) => id)
  const view = await pastView(past, { tokenIds })
  const rows = await pastRows(past, view, tokens)
  return figuresOf(rows, await listWindows(past, view, tokenIds))
}

/** Rows as token-stats/list_tokens has them of now. */
async function pastRows(
  past: AsOfReading,
  view: Queryable,
  tokens: readonly PastToken[],
): Promise<TokenRow[]> {
  const tokenIds = tokens.map(({ id }) => id)
  const prices = await pastPrices(past, tokenIds)
  const { rate } = await pastRate(past)
  const pools = await listPools(view, [int4Array(prices.map(({ pool_id }) => pool_id))])
  const firsts = await firstTimes(past, tokenIds)
  const priced = new Map(prices.map((price) => [price.token_id, price]))
  const unpriced = tokenIds.filter((id) => !priced.has(id))
  const decimals = await listPastDecimals(past.db, unpriced, past.slot)
  return tokens.map((token) => {
    const own = priced.get(token.id)
    const pool = pools.find(({ id }) => id === own?.pool_id)
    const stated = own?.decimals ?? decimals.get(token.id)
    if (stated === undefined) expectStated(past, token, ['decimals'])
    if (own !== undefined) expectStated(past, token, ['supply'])
    return {
      ...{ id: token.id, mint: token.mint, symbol: token.symbol, name: token.name },
      ...{ decimals: stated ?? token.decimals, supply: token.supply },
      ...{ first_ms: firsts.get(token.id) ?? null, rate },
      ...{ price: own?.price ?? null, price_ms: own?.price_ms ?? null },
      ...{ top_pair: pool?.top_pair ?? null, dex: pool?.dex ?? null },
      last_sol_reserves: pool?.last_sol_reserves ?? null,
      migrated_at_ms: pool?.migrated_at_ms ?? null,
      last_virtual_quote_reserves: pool?.last_virtual_quote_reserves ?? null,
    }
  })
}

/** Unix ms of the earliest swaps of tokens, by token id. */
async function firstTimes(
  past: AsOfReading,
  tokenIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await listStarts(past.db, [int4Array(tokenIds), past.slot])
  const times = new Map<number, number>()
  for (const { token_id, stored_ms } of rows) if (stored_ms !== null) times.set(token_id, stored_ms)
  const cut = rows.filter(({ stored_ms }) => stored_ms === null)
  if (cut.length === 0) return times
  expectFoldable(past, tradesOf(cut))
  const minutes = cut.map((row) => ({ ...row, last_slot: past.slot }))
  const tokenOf = new Map(cut.map(({ pool_id, token_id }) => [pool_id, token_id]))
  for (const { pool_id, timestamp_ms } of await listMinuteSwaps(past.db, minutes)) {
    const tokenId = tokenOf.get(pool_id)!
    times.set(tokenId, Math.min(timestamp_ms, times.get(tokenId) ?? timestamp_ms))
  }
  return times
}

/** Rows as token-stats/list_windows has them of now. */
async function listWindows(
  past: AsOfReading,
  view: Queryable,
  tokenIds: readonly number[],
): Promise<WindowRow[]> {
  const latestMs = await past.latestMs()
  if (latestMs === null) return []
  const newestMs = bucketOf(latestMs, MINUTE_MS)
  const endMs = newestMs + MINUTE_MS
  const firstMs = endMs - WIDEST_MS
  const hourMs = bucketOf(endMs, HOUR_MS)
  const [ids, widths] = [int4Array(tokenIds), int4Array(WIDTHS)]
  const traded = await listTraded(view, [ids, widths, newestMs, endMs, firstMs])
  const heads = int8Array(headsOf(endMs, hourMs))
  const traders = await listTraders(view, [ids, widths, endMs, hourMs, firstMs, heads])
  return traded.map(({ window_minutes: minutes, ...row }) => {
    const own = traders.find(
      (each) => each.token_id === row.token_id && each.window_minutes === minutes,
    )
    const { buy_count = 0, sell_count = 0, buyer_count = 0, seller_count = 0 } = own ?? {}
    return { ...row, minutes, buy_count, sell_count, buyer_count, seller_count, end_ms: endMs }
  })
}

/** The minutes of the hours that windows cut at their beginnings, as in token_traders(). */
function headsOf(endMs: number, hourMs: number): number[] {
  return WIDTHS.flatMap((width) => {
    const fromMs = endMs - width * MINUTE_MS
    const headEndMs = Math.min(bucketOf(fromMs + HOUR_MS - 1, HOUR_MS), hourMs)
    const count = Math.max(0, (headEndMs - fromMs) / MINUTE_MS)
    return Array.from({ length: count }, (_, index) => fromMs + index * MINUTE_MS)
  })
}
