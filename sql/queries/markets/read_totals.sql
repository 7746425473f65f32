-- What the market did in a window that ends with the newest swap. $1 integer: its width in minutes,
-- $2 bigint: its first minute. Every pool is looked at, no candle and no swap is: a kept answer pays for it.
-- Indexes: pool_pkey, those of market_traders().
select
  count(*) as pool_count, count(distinct token_id) as token_count, market_traders($1) as trader_count
from pool
where newest_ms >= $2
