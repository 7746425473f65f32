-- name: pairs/list_pairs
-- Pair accounts by their first swaps, the newest first, ties by account, the greatest first; each once, for any number of
-- its mints, in the position of its earliest pool, so that later mints do not move it.
-- $1 bigint, $2 text: slot of the first swap and account below which the list continues, or null, $3 integer: rows.
-- Index: pool_first_slot backwards, whose ties are sorted; pool_pair_address_token_id_key.
select first_slot, pair_address
from pool
where first_slot <= coalesce($1::bigint, 9223372036854775807)
  and ($1::bigint is null or (first_slot, pair_address) < ($1::bigint, $2::text))
  and dex is not null
  and not exists (
    select
    from pool as older
    where older.pair_address = pool.pair_address and (older.first_slot, older.id) < (pool.first_slot, pool.id)
  )
order by first_slot desc, pair_address desc
limit $3

-- name: pairs/list_token_pairs
-- Pools of mints with their volumes in a window, the busiest first. $1 text[]: mints, $2 smallint: venue or null, $3
-- integer: rows; of the window: $4 bigint first minute, $5 $6 first quarter and first four hours in it; $7 integer[]:
-- ids of pools to exclude; $8 bigint: the minute that follows the window's last. Pools without trades are not summed;
-- trades after the window are subtracted.
-- Indexes: token_address_key, pool_token, the primary keys of the candles.
select
  pool.pair_address, token.address as token_address, pool.dex, pool.last_price, pool.last_price_ms,
  pool.newest_ms, pool.last_sol_reserves, pool.migrated_at_ms, pool.swap_count,
  coalesce(traded.volume_lamports, 0) - coalesce(ahead.volume_lamports, 0) as volume_lamports,
  coalesce(traded.trade_count, 0) - coalesce(ahead.trade_count, 0) as trade_count,
  pool.id, pool.last_virtual_quote_reserves
from token
join pool on pool.token_id = token.id
{+traded_in_window}
left join lateral (
  select sum(volume_lamports) as volume_lamports, sum(trade_count) as trade_count
  from candle_1m
  where pool_id = pool.id and bucket_ms >= $8::bigint and pool.newest_ms >= $8::bigint
) as ahead on true
where token.address = any ($1)
  and pool.dex is not null
  and ($2::smallint is null or pool.dex = $2)
  and pool.id <> all ($7::integer[])
order by 10 desc, 11 desc, pool.pair_address, token.address
limit $3

-- name: pairs/list_token_pairs_by_slot
-- Pools of mints with their volumes in a window, by their first swaps. $1 text[]: mints, $2 smallint: venue or null,
-- $3 integer: rows; of the window: $4 bigint first minute, $5 $6 first quarter and first four hours in it;
-- $7 integer[]: ids of pools to exclude; $8 bigint, $9 $10 text: slot of the first swap, account and mint after which the
-- list continues; $11 bigint: the minute that follows the window's last; trades after it are subtracted. Only the pools
-- of the page are summed. Indexes: token_address_key, pool_token, the primary keys of the candles. All pools of the mints
-- are read before the page is cut: in order of slots the planner would scan the pools of all mints.
with own as materialized (
  select pool.*, token.address as token_address
  from token
  join pool on pool.token_id = token.id
  where token.address = any ($1)
    and pool.dex is not null
    and ($2::smallint is null or pool.dex = $2)
    and pool.id <> all ($7::integer[])
    and (pool.first_slot, pool.pair_address, token.address) > ($8::bigint, $9::text, $10::text)
),
page as (
  select * from own order by first_slot, pair_address, token_address limit $3
)
select
  pool.pair_address, pool.token_address, pool.dex, pool.last_price, pool.last_price_ms,
  pool.newest_ms, pool.last_sol_reserves, pool.migrated_at_ms, pool.last_virtual_quote_reserves,
  pool.swap_count,
  coalesce(traded.volume_lamports, 0) - coalesce(ahead.volume_lamports, 0) as volume_lamports,
  coalesce(traded.trade_count, 0) - coalesce(ahead.trade_count, 0) as trade_count,
  pool.id, pool.first_slot
from page as pool
{+traded_in_window}
left join lateral (
  select sum(volume_lamports) as volume_lamports, sum(trade_count) as trade_count
  from candle_1m
  where pool_id = pool.id and bucket_ms >= $11::bigint and pool.newest_ms >= $11::bigint
) as ahead on true
order by pool.first_slot, pool.pair_address, pool.token_address

-- name: pairs/list_token_pools
-- Pools of mints with a trade, in any order. $1 text[]: mints. Indexes: token_address_key, pool_token.
select pool.id, pool.pair_address, token.address as token_address
from token
join pool on pool.token_id = token.id
where token.address = any ($1) and pool.dex is not null

-- name: pairs/list_venue_pairs
-- Pair accounts of a venue, otherwise as list_pairs: a plan for both would use the index of one. $1 smallint: venue, $2
-- bigint, $3 text: slot and account below which the list continues, or null, $4 integer: rows.
-- Index: pool_dex_first_slot backwards, whose ties are sorted; pool_pair_address_token_id_key.
select first_slot, pair_address
from pool
where dex = $1
  and first_slot <= coalesce($2::bigint, 9223372036854775807)
  and ($2::bigint is null or (first_slot, pair_address) < ($2::bigint, $3::text))
  and not exists (
    select
    from pool as older
    where older.pair_address = pool.pair_address and (older.first_slot, older.id) < (pool.first_slot, pool.id)
      and older.dex = $1
  )
order by first_slot desc, pair_address desc
limit $4
