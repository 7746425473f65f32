-- Wider candles of pools that are merged again; returns what their traders were counted to be. Pairwise: $1 integer[]
-- pool_id, $2 bigint[] bucket_ms; $3 $4 bigint: least and greatest of the buckets. Index: {table}_pkey.
-- variant 15m: table = candle_15m
-- variant 4h: table = candle_4h
delete from {table} as candle
using unnest($1::integer[], $2::bigint[]) as gone (pool_id, bucket_ms)
where candle.pool_id = gone.pool_id and candle.bucket_ms = gone.bucket_ms
  and candle.bucket_ms between $3::bigint and $4::bigint
returning candle.pool_id, candle.bucket_ms, candle.trader_count, candle.wide_trader_count
