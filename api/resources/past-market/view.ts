/**
 * The tables of pools and candles as of a slot, as a connection: a statement that is sent through it reads the rows that an
 * installation has which was fed every event up to the slot.
 *
 * Law: it is of the pools of some tokens. Rows of others are not as of the slot, and a statement through it names its tokens, its
 * pair accounts, or its pools. Swaps are read by the slots of the minutes of candles, which end at the slot.
 * Decision: docs/decisions/0122-statements-of-now-read-tables-as-of-a-slot.md
 */
import { bucketOf, FOUR_HOURS_MS, QUARTER_MS } from '../../../domain/time/time-bucket.ts'
import {
  boolArray,
  float8Array,
  int2Array,
  int4Array,
  int8Array,
  plainArray,
} from '../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query, variants } from '../../../sql/query.ts'
import { type PastSource, pastForm } from '../../../sql/statements/past-form.ts'
import { viewer } from '../../../sql/viewed.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import type { PastCandle } from './candles.ts'
import { pastPrices, pastRate } from './prices.ts'
import { type PastRows, readPastRows } from './rows.ts'
import { type PastTraders, readPastTraders } from './traders.ts'

/**
 * Tokens of the view: by id, by mint, and those of pair accounts. `hasTraders`: statements read the traders of candles, too.
 * `isPlannedBySetting`: statements are planned by the setting of the transaction; absent: for the values of each call.
 */
type Viewed = {
  readonly tokenIds?: readonly number[]
  readonly mints?: readonly string[]
  readonly pairs?: readonly string[]
  readonly hasTraders?: boolean
  readonly isPlannedBySetting?: boolean
}

const listTokens = query<{ id: number }>('as-of/list_tokens_of')

const wide = variants('as-of/view_wide', ['quarters', 'fours'])
const QUERIES: Readonly<Record<PastSource, string>> = {
  trader_hour: query('as-of/view_trader_hours').text,
  trader_minute: query('as-of/view_trader_minutes').text,
  candle_1m: query('as-of/view_minutes').text,
  candle_15m: wide.quarters.text,
  candle_4h: wide.fours.text,
  pool: query('as-of/view_pools').text,
  pool_event: query('as-of/view_pool_events').text,
  past_prices: query('as-of/view_prices').text,
  past_rate: query('as-of/view_rate').text,
  past_time: query('as-of/view_time').text,
}

const formOf = (statement: string) => pastForm(statement, QUERIES)
const viewAnew = viewer(formOf)
const viewBySetting = viewer(formOf, { isPlannedBySetting: true })

/** The tokens of a request for one pool. */
export const viewedBy = (
  { token_address: mint, pair_address: pair }: { token_address?: string; pair_address?: string },
  wanted: Pick<Viewed, 'hasTraders'> = {},
): Viewed => ({
  ...wanted,
  mints: mint === undefined ? [] : [mint],
  pairs: pair === undefined ? [] : [pair],
})

/** Throws ApiError where too many swaps are in the minutes that the slot cuts. */
export async function pastView(
  past: AsOfReading,
  {
    tokenIds: own = [],
    mints = [],
    pairs = [],
    hasTraders = false,
    isPlannedBySetting = false,
  }: Viewed,
): Promise<Queryable> {
  const { db, slot } = past
  const named = mints.length + pairs.length === 0 ? [] : await listTokens(db, [mints, pairs])
  const tokenIds = [...own, ...named.map(({ id }) => id)]
  const rows = await readPastRows(past, tokenIds, { hasTraders })
  const ids = int4Array(rows.pools.map(({ pool_id }) => pool_id))
  const stored = new Map<PastSource, Promise<readonly unknown[]>>()
  let found: Promise<PastTraders> | undefined
  const traders = (): Promise<PastTraders> => {
    found ??= readPastTraders(past, tokenIds)
    return found
  }
  const read: Readonly<Record<PastSource, () => Promise<readonly unknown[]>>> = {
    trader_hour: async () => tradersBounds(await traders()),
    trader_minute: async () => traderColumns(await traders()),
    candle_1m: async () => [
      rows.stillMs,
      ids,
      ...candleColumns(rows.minutes),
      ...slotColumns(rows),
    ],
    candle_15m: async () => [
      ...[bucketOf(rows.stillMs, QUARTER_MS), ids],
      ...candleColumns(rows.quarters),
    ],
    candle_4h: async () => [
      ...[bucketOf(rows.stillMs, FOUR_HOURS_MS), ids],
      ...candleColumns(rows.fours),
    ],
    pool: async () => [slot, ...poolColumns(rows)],
    pool_event: async () => [slot],
    past_prices: async () => priceColumns(await pastPrices(past, tokenIds)),
    past_rate: async () => [(await pastRate(past)).rate],
    past_time: async () => [await past.latestMs()],
  }
  const parametersOf = (source: PastSource): Promise<readonly unknown[]> => {
    const known = stored.get(source) ?? read[source]()
    stored.set(source, known)
    return known
  }
  return (isPlannedBySetting ? viewBySetting : viewAnew)(db, parametersOf)
}

/** $3 to $14 of as-of/view_minutes and the like. */
function candleColumns(candles: readonly PastCandle[]): unknown[] {
  return [
    int4Array(candles.map((row) => row.poolId)),
    int8Array(candles.map((row) => row.bucketMs)),
    float8Array(candles.map((row) => row.open)),
    float8Array(candles.map((row) => row.high)),
    float8Array(candles.map((row) => row.low)),
    float8Array(candles.map((row) => row.close)),
    plainArray(candles.map((row) => row.volumeLamports)),
    plainArray(candles.map((row) => row.volumeUnits)),
    int4Array(candles.map((row) => row.tradeCount)),
    plainArray(candles.map((row) => row.buyCount)),
    plainArray(candles.map((row) => row.traderCount)),
    plainArray(candles.map((row) => row.wideTraderCount)),
  ]
}

const slotColumns = ({ minutes }: PastRows): unknown[] => [
  int8Array(minutes.map((row) => row.firstSlot)),
  int8Array(minutes.map((row) => row.lastSlot)),
]

/** $2 to $15 of as-of/view_pools. */
function poolColumns({ pools }: PastRows): unknown[] {
  return [
    int4Array(pools.map((row) => row.pool_id)),
    int2Array(pools.map((row) => row.dex)),
    int8Array(pools.map((row) => row.swap_count)),
    int8Array(pools.map((row) => row.slot)),
    int8Array(pools.map((row) => row.block_tx_index)),
    int4Array(pools.map((row) => row.ix_index)),
    boolArray(pools.map((row) => row.is_buy)),
    plainArray(pools.map((row) => row.signature)),
    int2Array(pools.map((row) => row.quote_decimals)),
    int8Array(pools.map((row) => row.real_sol_reserves)),
    plainArray(pools.map((row) => row.virtual_quote_reserves)),
    int8Array(pools.map((row) => row.newest_ms)),
    float8Array(pools.map((row) => row.price)),
    plainArray(pools.map((row) => row.price_ms)),
  ]
}

/** $1 and $2 of as-of/view_trader_hours. */
const tradersBounds = ({ fromMs, tokenIds }: PastTraders): unknown[] => [
  fromMs,
  int4Array(tokenIds),
]

/** $1 to $7 of as-of/view_trader_minutes. */
const traderColumns = ({ trades, ...bounds }: PastTraders): unknown[] => [
  ...tradersBounds({ trades, ...bounds }),
  int4Array(trades.map((row) => row.token_id)),
  int8Array(trades.map((row) => row.bucket_ms)),
  boolArray(trades.map((row) => row.is_buy)),
  int4Array(trades.map((row) => row.wallet)),
  int4Array(trades.map((row) => row.trade_count)),
]

const priceColumns = (prices: Awaited<ReturnType<typeof pastPrices>>): unknown[] => [
  int4Array(prices.map((row) => row.token_id)),
  int4Array(prices.map((row) => row.pool_id)),
  float8Array(prices.map((row) => row.price)),
  int8Array(prices.map((row) => row.price_ms)),
  int2Array(prices.map((row) => row.decimals)),
]
