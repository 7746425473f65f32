-- First and last slot of the swaps of pools' minutes. Pairwise: $1 integer[] pool_id,
-- $2 bigint[] bucket_ms; $3 $4 bigint: least and greatest of the buckets, which exclude all other chunks. Index:
-- candle_1m_pkey.
select candle_1m.pool_id, candle_1m.bucket_ms, candle_1m.first_slot, candle_1m.last_slot
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, bucket_ms)
join candle_1m on candle_1m.pool_id = wanted.pool_id and candle_1m.bucket_ms = wanted.bucket_ms
where candle_1m.bucket_ms between $3::bigint and $4::bigint
