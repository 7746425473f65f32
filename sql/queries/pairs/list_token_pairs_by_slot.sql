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
