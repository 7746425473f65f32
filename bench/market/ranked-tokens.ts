/**
 * Many active tokens in the tables as the actors would have left them: every token has traded in six random
 * minutes of the last day in one or two pools, with some buyers and ten positions.
 */
import { DAY_MINUTES, DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import type { Db } from '../../sql/db.ts'

/** The newest swap's time. */
export const NEWEST_MS = Date.UTC(2026, 7, 1, 12, 30)
/** Wallets of positions: apart from those that are interned later. */
const HOLDERS_FROM = 10_000_000

export async function fillRanked(db: Db, tokens: number): Promise<void> {
  await db.query('select setseed(0.5)')
  const named = (of: string) =>
    `'4' || substr(translate(encode(sha256((${of})::text::bytea), 'base64'), '+/=0OIl', 'abcdefg'), 1, 43)`
  await db.query(
    `insert into token (address) select ${named("'token' || n")} from generate_series(1, $1::integer) n`,
    [tokens],
  )
  await db.query(
    `insert into pool (pair_address, token_id, dex, swap_count, newest_ms, last_timestamp_ms,
       last_price, last_price_ms, last_sol_reserves)
     select ${named("'pool' || id || '/' || n")}, id, 1 + (id + n) % 10, 6, ${NEWEST_MS},
       ${NEWEST_MS}, 0.001, ${NEWEST_MS}, 1000000000
     from token cross join lateral generate_series(0, case when id % 5 = 0 then 1 else 0 end) n`,
  )
  await db.query(
    `insert into token_start select id, ${NEWEST_MS} - ${DAY_MS} from token on conflict do nothing`,
  )
  await db.query(
    `insert into slot_span (lane, width, bucket, first_ms, last_ms)
     select 99, width, 0, ${NEWEST_MS} - ${DAY_MS}, ${NEWEST_MS}
     from unnest(array[100, 10000, 1000000000]) width`,
  )
  // Half of the minutes lie in the last two hours.
  const minute = `${NEWEST_MS} - floor(case when random() < 0.5 then 120 else ${DAY_MINUTES} end * random())::bigint * ${MINUTE_MS}`
  await db.query(
    `insert into candle_1m (pool_id, trade_count, bucket_ms, open, high, low, close, first_slot,
       last_slot, volume_lamports)
     select id, 2, ${minute}, price, price * 1.2, price * 0.8, price * (0.8 + 0.4 * random()), 1, 2,
       floor(random() * 1e10)
     from (select id, random() as price from pool, generate_series(1, 6)) as traded
     on conflict do nothing`,
  )
  const wallets =
    'array(select floor(random() * 1000000 + n * 0)::integer from generate_series(1, 4))'
  await db.query(
    `insert into trader_minute (token_id, buy_count, bucket_ms, sell_count, buyers, sellers)
     select token_id, 4, bucket_ms, 1, ${wallets}, '{}'
     from (
       select pool.token_id, candle.bucket_ms, row_number() over () as n
       from candle_1m as candle join pool on pool.id = candle.pool_id
     ) as traded
     on conflict do nothing`,
  )
  await db.query(
    `insert into trader_hour (token_id, buy_count, bucket_ms, sell_count, buyers, sellers)
     select token_id, sum(buy_count), bucket_ms / ${HOUR_MS} * ${HOUR_MS}, sum(sell_count),
       array_agg(distinct buyer), '{}'
     from trader_minute cross join unnest(buyers) as buyer
     group by token_id, bucket_ms / ${HOUR_MS} * ${HOUR_MS}
     on conflict do nothing`,
  )
  await db.query(
    `insert into position (wallet_id, token_id, swap_count, buy_count, sell_count,
       covered_sell_count, win_count, transaction_count, arbitrage_count, balance, basis, lots_cost,
       realized_strict, realized_adjusted, buys_lamports, sells_lamports, uncovered_quantity,
       uncovered_lamports, largest_buy_lamports, largest_sell_lamports, first_trade_ms,
       last_trade_ms, lot_first, lot_next, last_slot, last_sol_amount, last_token_amount,
       last_ix_index, last_dex, decimals, last_is_buy, lot_head, lot_tail, held_changes)
     select ${HOLDERS_FROM} + n, id, 1, 1, 0, 0, 0, 1, 0, 1000 * n, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, ${NEWEST_MS},
       ${NEWEST_MS}, 0, 1, 1, 1, 1, 0, 1, 6, true, '', '',
       array[(${minute}) / ${MINUTE_MS}]::integer[]
     from token, generate_series(1, 10) n`,
  )
  await db.query('vacuum analyze')
}
