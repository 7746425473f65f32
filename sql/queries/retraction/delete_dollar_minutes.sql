-- Priced trades of minutes that are recomputed. Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms. Index: the
-- primary key.
delete from dollar_minute
using unnest($1::integer[], $2::bigint[]) as gone (pool_id, bucket_ms)
where dollar_minute.pool_id = gone.pool_id and dollar_minute.bucket_ms = gone.bucket_ms
