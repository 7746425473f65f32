-- Buckets as they are now in place of those that are stored. Index: the primary key.
insert into trader_minute
select token_id, buy_count, bucket_ms, sell_count, buyers_below, sellers_below, buyers, sellers
from trader_stage
where not is_hour
on conflict (token_id, bucket_ms) do update set
  buy_count = excluded.buy_count,
  sell_count = excluded.sell_count,
  buyers_below = excluded.buyers_below,
  sellers_below = excluded.sellers_below,
  buyers = excluded.buyers,
  sellers = excluded.sellers
