-- Buckets of traders of tokens. $1 $2 integer: from the first to before the second. Indexes: the primary
-- keys.
select
  false as is_hour, token_id, bucket_ms, buy_count, sell_count, buyers_below, sellers_below, buyers,
  sellers
from trader_minute
where token_id >= $1 and token_id < $2
union all
select
  true, token_id, bucket_ms, buy_count, sell_count, buyers_below, sellers_below, buyers, sellers
from trader_hour
where token_id >= $1 and token_id < $2
