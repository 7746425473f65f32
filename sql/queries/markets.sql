-- name: markets/count_venue_pools
-- Pools with a swap by venue. Index: pool_dex, only.
select dex, count(*) as pool_count from pool where dex is not null group by dex

-- name: markets/read_totals
-- Totals of the market in a trailing window. $1 integer: its width in minutes, $2 $3 bigint: its first minute, and the
-- one that follows its last. Every pool is read; a candle only where swaps lie ahead of the window, and no swap:
-- caching the response pays for it. Indexes: pool_pkey, those of market_traders() and pool_traded().
select
  count(*) as pool_count, count(distinct token_id) as token_count, market_traders($1) as trader_count
from pool
where newest_ms >= $2 and (newest_ms < $3 or pool_traded(pool.id, $2, $3))

-- name: markets/sum_venues
-- Volume of venues in a trailing window. bigint: $1 its first minute, $2 the first quarter of an hour in it, $3 where
-- its last whole quarter ends, $4 the minute that follows its last. Index: venue_volume_pkey.
select dex, sum(trade_count)::bigint as trade_count, sum(volume_lamports) as volume_lamports
from (
  select dex, trade_count, volume_lamports
  from venue_volume
  where width = 60000 and bucket_ms >= $1 and bucket_ms < least($2::bigint, $4::bigint)
  union all
  select dex, trade_count, volume_lamports
  from venue_volume
  where width = 900000 and bucket_ms >= $2 and bucket_ms < $3
  union all
  select dex, trade_count, volume_lamports
  from venue_volume
  where width = 60000 and bucket_ms >= greatest($2::bigint, $3::bigint) and bucket_ms < $4
) as part
group by dex
