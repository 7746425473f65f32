-- Buckets as they are now in place of those that are stored. Index: the primary key.
-- variant minute: table = trader_minute; is_own = not is_hour
-- variant hour: table = trader_hour; is_own = is_hour
insert into {table}
select token_id, buy_count, bucket_ms, sell_count, buyers_below, sellers_below, buyers, sellers
from trader_stage
where {is_own}
on conflict (token_id, bucket_ms) do update set
  buy_count = excluded.buy_count,
  sell_count = excluded.sell_count,
  buyers_below = excluded.buyers_below,
  sellers_below = excluded.sellers_below,
  buyers = excluded.buyers,
  sellers = excluded.sellers
