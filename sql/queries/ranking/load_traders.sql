-- Stored buckets. Pairwise: $1 integer[] token_id, $2 bigint[] bucket_ms; $3 $4 bigint: the least and the
-- greatest of these. Index: the primary key.
-- variant minute: table = trader_minute
-- variant hour: table = trader_hour
select
  bucket.token_id, bucket.bucket_ms, bucket.buy_count, bucket.sell_count, bucket.buyers_below,
  bucket.sellers_below, bucket.buyers, bucket.sellers
from unnest($1::integer[], $2::bigint[]) as wanted (token_id, bucket_ms)
join {table} as bucket
  on bucket.token_id = wanted.token_id and bucket.bucket_ms = wanted.bucket_ms
where bucket.bucket_ms between $3 and $4
