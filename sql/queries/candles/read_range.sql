-- A pool's range of time as one candle of its candles with a price. $1 integer: pool id,
-- $2 $3 bigint: first bucket, and the end of the last, $4 bigint: width of a candle in milliseconds.
-- Index: {table}_pkey.
-- variant 1m: table = candle_1m
-- variant 15m: table = candle_15m
-- variant 4h: table = candle_4h
select
  first(open, bucket_ms) as open, max(high) as high, min(low) as low,
  last(close, bucket_ms) as close, coalesce(sum(volume_lamports), 0) as volume_lamports,
  count(*) as sample_count
from (
  select
    time_bucket($4::bigint, bucket_ms) as bucket_ms,
    first(open, bucket_ms) filter (where open is not null) as open,
    max(high) as high,
    min(low) as low,
    last(close, bucket_ms) filter (where close is not null) as close,
    sum(volume_lamports) as volume_lamports
  from {table}
  where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3
  group by 1
  having count(open) > 0
) as candle
