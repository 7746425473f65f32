-- Totals of the market in a trailing window. $1 integer: its width in minutes, $2 $3 bigint: its first minute, and the
-- one that follows its last. Every pool is read; a candle only where swaps lie ahead of the window, and no swap:
-- caching the response pays for it. Indexes: pool_pkey, those of market_traders() and pool_traded().
select
  count(*) as pool_count, count(distinct token_id) as token_count, market_traders($1) as trader_count
from pool
where newest_ms >= $2 and (newest_ms < $3 or pool_traded(pool.id, $2, $3))
