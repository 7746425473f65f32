-- Deletes buckets of the market that are to be recounted. Pairwise: $1 boolean[] is_hour, $2 bigint[] bucket_ms. Index:
-- market_trader_pkey.
delete from market_trader
using (select distinct * from unnest($1::boolean[], $2::bigint[]) as told (is_hour, bucket_ms)) as gone
where market_trader.is_hour = gone.is_hour and market_trader.bucket_ms = gone.bucket_ms
