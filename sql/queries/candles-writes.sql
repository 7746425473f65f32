-- name: candles/delete_candles
-- Candles of pools. $1 integer[]: pool ids. Index: {table}_pkey. Of a compressed chunk it unpacks only the pools' rows
-- where it is planned for its value.
-- variant 1m: table = candle_1m
-- variant 15m: table = candle_15m
-- variant 4h: table = candle_4h
delete from {table} where pool_id = any ($1::integer[])

-- name: candles/delete_dollar_minutes
-- Minutes of pools of dollar mints. $1 integer[]: pool ids. Reads the whole table.
delete from dollar_minute where pool_id = any ($1::integer[])

-- name: candles/delete_pool_traders
-- Minutes of all wallets in pools. $1 integer[]: pool ids. Index: pool_trader_pkey.
delete from pool_trader where pool_id = any ($1::integer[])

-- name: candles/find_minute_slots
-- First and last slot of the swaps of pools' minutes. Pairwise: $1 integer[] pool_id,
-- $2 bigint[] bucket_ms; $3 $4 bigint: least and greatest of the buckets, which exclude all other chunks. Index:
-- candle_1m_pkey.
select candle_1m.pool_id, candle_1m.bucket_ms, candle_1m.first_slot, candle_1m.last_slot
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, bucket_ms)
join candle_1m on candle_1m.pool_id = wanted.pool_id and candle_1m.bucket_ms = wanted.bucket_ms
where candle_1m.bucket_ms between $3::bigint and $4::bigint

-- name: candles/insert_token_changes
-- Notifies rankings that pools' candles changed, where they may hold a pool's token or come to. Pairwise: $1 integer[]
-- pool id, $2 bigint[]: its newest swap by the rebuilt candles, or null; its row has the one stored before. Index:
-- pool_pkey.
insert into token_change (token_id, of_candles)
select pool.token_id, true
from unnest($1::integer[], $2::bigint[]) as rebuilt (pool_id, newest_ms)
join pool on pool.id = rebuilt.pool_id
where greatest(pool.newest_ms, rebuilt.newest_ms) >= newest_swap_ms() - 172800000

-- name: candles/list_pool_traders
-- Stored minutes of wallets in pools on days. Pairwise: $1 integer[] pool_id, $2 integer[] day, $3 integer[] wallet_id.
-- `ordinal`: that of the row, from 1 on; `minutes`: comma-separated. Index: pool_trader_pkey.
select wanted.ordinal::integer as ordinal, array_to_string(stored.minutes, ',') as minutes
from unnest($1::integer[], $2::integer[], $3::integer[]) with ordinality
  as wanted (pool_id, day, wallet_id, ordinal)
join pool_trader as stored on stored.pool_id = wanted.pool_id and stored.day = wanted.day
  and stored.wallet_id = wanted.wallet_id

-- name: candles/list_pools
-- A page of pools. $1 integer: id to go on after, $2 integer: how many. Index: pool_pkey.
select pool.id, pool.pair_address, token.address as token_address, pool.swap_count
from pool
join token on token.id = pool.token_id
where pool.id > $1
order by pool.id
limit $2

-- name: candles/lock_free_pools
-- Makes commits of pools' swaps wait, as lock_pool does. Without waiting: pools that a commit holds are left out. $1
-- integer[]: pool ids. Result: the locked ones. Index: pool_pkey.
select id from pool where id = any ($1::integer[]) order by id for update skip locked

-- name: candles/lock_pool
-- Makes commits of a pool's swaps wait, until the transaction ends. $1 integer: pool id.
select id from pool where id = $1 for update

-- name: candles/merge_pool_traders
-- Stores the minutes of wallets in pools on days. Pairwise: $1 integer[] pool_id, $2 integer[] day, $3 integer[]
-- wallet_id, $4 text[]: all minutes of the day, as an array's text. Index: pool_trader_pkey.
insert into pool_trader (pool_id, day, wallet_id, minutes)
select added.pool_id, added.day, added.wallet_id, added.minutes::smallint[]
from unnest($1::integer[], $2::integer[], $3::integer[], $4::text[])
  as added (pool_id, day, wallet_id, minutes)
on conflict (pool_id, day, wallet_id) do update set minutes = excluded.minutes

-- name: candles/update_ends
-- Open and close of candles of {words}, recomputed from their minutes. Pairwise: $1 integer[] pool_id, $2 bigint[]
-- bucket_ms; $3 $4 bigint: least and greatest of the buckets. Indexes: the primary keys of {table} and candle_1m. The
-- pools twice, as in update_minute_ends.sql.
-- variant 15m: words = 15 minutes; table = candle_15m; width_ms = 900000
-- variant 4h: words = 4 hours; table = candle_4h; width_ms = 14400000
update {table}
set open = changed.open, close = changed.close
from (
  select wanted.pool_id, wanted.bucket_ms, first.open, last.close
  from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, bucket_ms)
  cross join lateral (
    select minute.open
    from candle_1m as minute
    where minute.pool_id = wanted.pool_id and minute.open is not null
      and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + {width_ms}
      and minute.bucket_ms >= $3::bigint and minute.bucket_ms < $4::bigint + {width_ms}
    order by minute.bucket_ms
    limit 1
  ) as first
  cross join lateral (
    select minute.close
    from candle_1m as minute
    where minute.pool_id = wanted.pool_id and minute.close is not null
      and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + {width_ms}
      and minute.bucket_ms >= $3::bigint and minute.bucket_ms < $4::bigint + {width_ms}
    order by minute.bucket_ms desc
    limit 1
  ) as last
) as changed
where {table}.pool_id = changed.pool_id
  and {table}.pool_id = any ($1::integer[])
  and {table}.bucket_ms = changed.bucket_ms
  and {table}.bucket_ms between $3::bigint and $4::bigint

-- name: candles/update_last_prices
-- Last prices of pools that late swaps changed. Pairwise: $1 integer[] pool id,
-- $2 double precision[] price, $3 bigint[] Unix ms. Index: pool_pkey.
update pool
set last_price = changed.price, last_price_ms = changed.price_ms
from unnest($1::integer[], $2::double precision[], $3::bigint[])
  as changed (pool_id, price, price_ms)
where pool.id = changed.pool_id

-- name: candles/update_minute_ends
-- Open and close of minutes that late swaps changed. Pairwise: $1 integer[] pool_id,
-- $2 bigint[] bucket_ms, $3 $4 double precision[] open, close; $5 $6 bigint: least and greatest of the
-- buckets, which exclude all other chunks. Index: candle_1m_pkey. The pools are listed in it twice: a plan for these
-- values unpacks no others of a compressed chunk.
update candle_1m
set open = changed.open, close = changed.close
from unnest($1::integer[], $2::bigint[], $3::double precision[], $4::double precision[])
  as changed (pool_id, bucket_ms, open, close)
where candle_1m.pool_id = changed.pool_id
  and candle_1m.pool_id = any ($1::integer[])
  and candle_1m.bucket_ms = changed.bucket_ms
  and candle_1m.bucket_ms between $5::bigint and $6::bigint

-- name: candles/update_pool_prices
-- Sets the prices of pools' rows. Pairwise: $1 integer[] pool id, $2 bigint[] newest_ms, $3 double precision[]
-- last_price, $4 bigint[] last_price_ms; null where there is none. Index: pool_pkey.
update pool
set newest_ms = rebuilt.newest_ms, last_price = rebuilt.last_price, last_price_ms = rebuilt.last_price_ms
from unnest($1::integer[], $2::bigint[], $3::double precision[], $4::bigint[])
  as rebuilt (pool_id, newest_ms, last_price, last_price_ms)
where pool.id = rebuilt.pool_id
