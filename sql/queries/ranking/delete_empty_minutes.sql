-- Deletes buckets of traders in which no trade is left. Pairwise: $1 integer[] token_id, $2 bigint[] bucket_ms. Index:
-- the primary key.
delete from trader_minute
using unnest($1::integer[], $2::bigint[]) as gone (token_id, bucket_ms)
where trader_minute.token_id = gone.token_id and trader_minute.bucket_ms = gone.bucket_ms
  and trader_minute.buy_count = 0 and trader_minute.sell_count = 0
