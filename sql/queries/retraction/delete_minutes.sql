-- Minutes of pools that are recomputed; returns what their traders were counted to be. Pairwise: $1 integer[] pool_id,
-- $2 bigint[] bucket_ms; $3 $4 bigint: least and greatest of the buckets. Index: candle_1m_pkey.
delete from candle_1m
using unnest($1::integer[], $2::bigint[]) as gone (pool_id, bucket_ms)
where candle_1m.pool_id = gone.pool_id and candle_1m.bucket_ms = gone.bucket_ms
  and candle_1m.bucket_ms between $3::bigint and $4::bigint
returning candle_1m.pool_id, candle_1m.bucket_ms, candle_1m.trader_count, candle_1m.wide_trader_count
