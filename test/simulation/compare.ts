/**
 * The tables and FEED against the model: every difference as a readable line. An empty list means "equal".
 */

import type { Swap } from '../../domain/events/swap.ts'
import { signatureHash } from '../../domain/numbers/signature-hash.ts'
import type { Db } from '../../sql/db.ts'
import type { FeedMessage } from '../support/workers/pipeline.ts'
import {
  identityOfPoolEvent,
  identityOfSwap,
  type Model,
  type ModelPool,
  type ModelSwap,
  TOKEN_FIELDS,
} from './model.ts'
import {
  candleRows,
  dollarRows,
  poolPrices,
  swapsByPool,
  traderRows,
} from './models/candle-model.ts'

type Row = Record<string, unknown>

/** Stored rows against expected ones, row by row; a repeated row is a difference too. */
export async function compareTables(db: Db, model: Model): Promise<string[]> {
  return [
    ...differences('swap', await readRows(db, SWAPS), model.swaps, swapRow),
    ...differences('pool', await readRows(db, POOLS), poolRows(model), (row) => row),
    ...differences('pool_event', await readRows(db, POOL_EVENTS), model.poolEvents, (event) => ({
      ...event,
    })),
    ...differences('token', await readRows(db, TOKENS), model.tokens, (token) => ({ ...token })),
    ...differences('slot_span', await readRows(db, SLOT_SPANS), spansOf(model), (span) => span),
    ...differences('venue_volume', await readRows(db, VENUES), venueRows(model), (row) => row),
    ...(await missingSignatures(db, model)),
    ...(await candleDifferences(db, model)),
  ]
}

/** By width, bucket and venue: all swaps are scanned again for each. */
function venueRows(model: Model): Map<string, Record<string, unknown>> {
  const swaps = [...model.swaps.values()].map(({ swap }) => swap)
  const rows = [60_000, 900_000].flatMap((width) => {
    const keyOf = ({ timestamp, dex }: (typeof swaps)[number]) =>
      `${width} ${timestamp - (timestamp % width)} ${dex}`
    return [...Map.groupBy(swaps, keyOf)].map(([key, own]) => {
      const volume = own.reduce((sum, { solAmount }) => sum + BigInt(solAmount), 0n)
      return [key, { trades: BigInt(own.length), volume }] as const
    })
  })
  return new Map(rows)
}

/** Every accepted event once, with its computed values; commits in order on each subject. */
export function compareFeed(feed: readonly FeedMessage[], model: Model): string[] {
  const wrong: string[] = []
  const left = new Set([...model.swaps.keys(), ...model.poolEvents.keys()])
  const newest = new Map<string, { commitNumber: number; part: number }>()
  for (const { subject, mark, events } of feed) {
    const before = newest.get(subject) ?? { commitNumber: 0, part: -1 }
    const isAfter =
      mark.commitNumber > before.commitNumber ||
      (mark.commitNumber === before.commitNumber && mark.part > before.part)
    if (!isAfter) wrong.push(`feed: ${subject} has ${printed(mark)} after ${printed(before)}`)
    newest.set(subject, mark)
    for (const event of events) {
      const isSwap = event.kind === 'swap'
      const key = isSwap ? identityOfSwap(event.swap) : identityOfPoolEvent(event.poolEvent)
      if (!left.delete(key)) wrong.push(`feed: ${key} is there twice, or was never accepted`)
      const expected = isSwap ? model.swaps.get(key) : undefined
      if (!isSwap || expected === undefined) continue
      if (event.poolPrice !== expected.poolPrice) {
        wrong.push(`feed: ${key} has pool price ${event.poolPrice}, not ${expected.poolPrice}`)
      }
      const published = event.priceImpactBps === null ? null : BigInt(event.priceImpactBps)
      if (dependsOnNothing(event.swap) && published !== expected.priceImpactBps) {
        wrong.push(`feed: ${key} has impact ${published}, not ${expected.priceImpactBps}`)
      }
    }
  }
  for (const key of left) wrong.push(`feed: ${key} is missing`)
  return wrong
}

/** Whether no later event can change the impact. */
function dependsOnNothing(swap: Swap): boolean {
  return ![2, 4, 6, 7, 9].includes(swap.dex) || (swap.dex !== 2 && swap.priceBefore !== undefined)
}

/** Rows by their `key` column against the model's, each turned into the same columns. */
function differences<Value>(
  table: string,
  rows: readonly Row[],
  expected: ReadonlyMap<string, Value>,
  toRow: (value: Value) => Row,
): string[] {
  const wrong: string[] = []
  const left = new Map(expected)
  for (const { key, ...stored } of rows) {
    const value = left.get(String(key))
    if (value === undefined) {
      wrong.push(`${table}: ${key} is there twice, or should not be there at all`)
      continue
    }
    left.delete(String(key))
    const row = toRow(value)
    for (const [column, found] of Object.entries(stored)) {
      const wanted = row[column] ?? null
      if (text(found) === text(wanted)) continue
      wrong.push(`${table}: ${key}: ${column} is ${text(found)}, not ${text(wanted)}`)
    }
  }
  for (const key of left.keys()) wrong.push(`${table}: ${key} is missing`)
  return wrong
}

const printed = (mark: { commitNumber: number; part: number }): string =>
  `${mark.commitNumber}/${mark.part}`

const text = (value: unknown): string => (Object.is(value, -0) ? '0' : String(value))

async function readRows(db: Db, statement: string): Promise<Row[]> {
  return (await db.query<Row>(statement)).rows
}

function swapRow({ swap, poolPrice, priceImpactBps }: ModelSwap): Row {
  return { ...swap, poolPrice, priceImpactBps }
}

async function candleDifferences(db: Db, model: Model): Promise<string[]> {
  const wrong: string[] = []
  for (const [table, widthMs] of CANDLE_TABLES) {
    const rows = await readRows(db, candlesOf(table))
    wrong.push(...differences(table, rows, candleRows(model, widthMs), (row) => row))
  }
  const traders = await readRows(db, TRADERS)
  wrong.push(...differences('pool_trader', traders, traderRows(model), (row) => row))
  const dollars = await readRows(db, DOLLARS)
  return [...wrong, ...differences('dollar_minute', dollars, dollarRows(model), (row) => row)]
}

function poolRows(model: Model): Map<string, Row> {
  const swaps = swapsByPool([...model.swaps.values()].map(({ swap }) => swap))
  const rows = [...model.pools].map(([key, pool]): [string, Row] => [
    key,
    { ...poolRow(pool), ...poolPrices(swaps.get(key) ?? []) },
  ])
  return new Map(rows)
}

function poolRow(pool: ModelPool): Row {
  const { newest } = pool
  return {
    ...pool,
    dex: newest?.dex,
    slot: newest?.slot,
    blockTxIndex: newest?.blockTxIndex,
    ixIndex: newest?.ixIndex,
    timestamp: newest?.timestamp,
    isBuy: newest?.isBuy,
    signature: newest?.signature,
    user: newest?.user,
    solAmount: newest?.solAmount,
    tokenAmount: newest?.tokenAmount,
    realSolReserves: newest?.realSolReserves,
    realTokenReserves: newest?.realTokenReserves,
    priceAfter: newest?.priceAfter,
    virtualQuoteReserves: newest?.virtualQuoteReserves,
    quoteDecimals: newest?.quoteDecimals,
  }
}

/** First and last time of each run of 100, of 10,000 and of 1,000,000,000 slots. */
function spansOf(model: Model): Map<string, { firstMs: number; lastMs: number }> {
  const spans = new Map<string, { firstMs: number; lastMs: number }>()
  for (const { swap } of model.swaps.values()) {
    for (const width of [100, 10_000, 1_000_000_000]) {
      const key = `${width} ${swap.slot - (swap.slot % width)}`
      const known = spans.get(key)
      spans.set(key, {
        firstMs: Math.min(known?.firstMs ?? Infinity, swap.timestamp),
        lastMs: Math.max(known?.lastMs ?? 0, swap.timestamp),
      })
    }
  }
  return spans
}

/** Swaps that their signature's index does not lead to. */
async function missingSignatures(db: Db, model: Model): Promise<string[]> {
  const rows = await readRows(
    db,
    "select signature_hash::text || ' ' || slot || ' ' || block_tx_index as key from swap_signature",
  )
  const known = new Set(rows.map((row) => row.key))
  return [...model.swaps.values()]
    .map(({ swap }) => `${signatureHash(swap.signature)} ${swap.slot} ${swap.blockTxIndex}`)
    .filter((key) => !known.has(key))
    .map((key) => `swap_signature: ${key} is missing`)
}

const SWAPS = `
  select
    concat_ws(' ', swap.signature, swap.dex, ix_index, pair_address, wallet.address,
      case when is_buy then 'true' else 'false' end, sol_amount, token_amount) as key,
    slot, block_tx_index as "blockTxIndex", timestamp_ms as timestamp, fee, fee_bps as "feeBps",
    creator_fee as "creatorFee", creator_fee_bps as "creatorFeeBps",
    virtual_sol_reserves as "virtualSolReserves", virtual_token_reserves as "virtualTokenReserves",
    real_sol_reserves as "realSolReserves", real_token_reserves as "realTokenReserves",
    transfer_fee_in as "transferFeeIn", transfer_fee_out as "transferFeeOut", cashback,
    cashback_bps as "cashbackBps", quote_decimals as "quoteDecimals", time_source as "timeSource",
    agent_trade as "agentTrade", pool_price as "poolPrice", price_before as "priceBefore",
    price_after as "priceAfter", price_impact_bps as "priceImpactBps",
    virtual_quote_reserves as "virtualQuoteReserves",
    token.address as "tokenAddress"
  from swap
  join pool on pool.id = swap.pool_id
  join token on token.id = pool.token_id
  join wallet on wallet.id = swap.wallet_id`

const POOLS = `
  select
    pair_address || ' ' || token.address as key, pair_address as "pairAddress",
    token.address as "tokenAddress", dex, swap_count as "swapCount", last_slot as slot,
    last_block_tx_index as "blockTxIndex", last_ix_index as "ixIndex",
    last_timestamp_ms as timestamp, last_is_buy as "isBuy", last_signature as signature,
    last_user as user, last_sol_amount as "solAmount", last_token_amount as "tokenAmount",
    last_sol_reserves as "realSolReserves", last_token_reserves as "realTokenReserves",
    last_price_after as "priceAfter", corrected_pool_price as "correctedPoolPrice",
    migrated_at_ms as "migratedAtMs", migrated_from as "migratedFrom",
    newest_ms as "newestMs", last_price as "lastPrice", last_price_ms as "lastPriceMs",
    first_slot as "firstSlot", last_quote_decimals as "quoteDecimals",
    last_virtual_quote_reserves as "virtualQuoteReserves"
  from pool
  join token on token.id = pool.token_id`

const POOL_EVENTS = `
  select
    concat_ws(' ', signature, event, pair_address, ix_index) as key, event, signature, slot,
    timestamp_ms as timestamp, pair_address as "pairAddress", token.address as "tokenAddress",
    pool_event.dex, block_tx_index as "blockTxIndex", ix_index as "ixIndex",
    pool_event.creator, from_pair as "fromPair", sol_amount as "solAmount",
    token_amount as "tokenAmount"
  from pool_event
  join pool on pool.id = pool_event.pool_id
  join token on token.id = pool.token_id`

const TOKENS = `
  select address as key, address as "tokenAddress", ${TOKEN_FIELDS.join(', ')} from token`

const SLOT_SPANS = `
  select width || ' ' || bucket as key, min(first_ms) as "firstMs", max(last_ms) as "lastMs"
  from slot_span
  group by width, bucket`

const VENUES = `
  select concat_ws(' ', width, bucket_ms, dex) as key, sum(trade_count) as trades,
    sum(volume_lamports) as volume
  from venue_volume
  group by width, bucket_ms, dex`

const CANDLE_TABLES = [
  ['candle_1m', 60_000],
  ['candle_15m', 900_000],
  ['candle_4h', 14_400_000],
] as const

const candlesOf = (table: string): string => `
  select
    concat_ws(' ', pair_address, token.address, bucket_ms) as key, open, high, low, close,
    volume_lamports as volume, volume_units as units, trade_count as trades, buy_count as buys,
    trader_count as traders, wide_trader_count as "wideTraders"
  from ${table} as candle
  join pool on pool.id = candle.pool_id
  join token on token.id = pool.token_id`

const TRADERS = `
  select
    concat_ws(' ', pair_address, token.address, wallet.address, day) as key,
    array_to_string(minutes, ',') as minutes
  from pool_trader
  join pool on pool.id = pool_trader.pool_id
  join token on token.id = pool.token_id
  join wallet on wallet.id = pool_trader.wallet_id`

const DOLLARS = `
  select
    concat_ws(' ', pair_address, token.address, bucket_ms, minute.decimals) as key,
    volume_lamports as lamports, volume_units as units
  from dollar_minute as minute
  join pool on pool.id = minute.pool_id
  join token on token.id = pool.token_id`
