-- A token's market: what it costs and the pool that says so, that pool's highest price ever, first and last
-- price of 24 hours (as in movers), how many pools traded, and the four hours in which the first of them did.
-- $1 integer: token id. The pool is looked up by itself: as a join, all pools are hashed for the thousand rows
-- that a function is taken to give. Indexes: pool_token, pool_pkey, candle_4h_pkey, those of token_prices() and
-- token_windows().
select
  priced.price,
  priced.price_ms,
  sol_usd() as sol_usd,
  newest_swap_ms() as newest_ms,
  top.pair_address as top_pair,
  top.dex,
  top.last_sol_reserves,
  top.migrated_at_ms,
  (select max(high) from candle_4h where pool_id = top.id) as peak,
  day.open as day_open,
  day.close as day_close,
  pools.pool_count,
  pools.born_ms
from (
  select count(birth.bucket_ms)::integer as pool_count, min(birth.bucket_ms) as born_ms
  from pool
  cross join lateral (
    select bucket_ms from candle_4h where pool_id = pool.id order by bucket_ms limit 1
  ) as birth
  where pool.token_id = $1
) pools
left join token_prices(array[$1::integer]) priced on true
left join lateral (select * from pool where pool.id = priced.pool_id limit 1) top on true
left join token_windows(array[$1::integer], array[1440]) day on true
