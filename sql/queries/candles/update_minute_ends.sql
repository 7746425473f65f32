-- Open and close of minutes that late swaps changed. Pairwise: $1 integer[] pool_id,
-- $2 bigint[] bucket_ms, $3 $4 double precision[] open, close; $5 $6 bigint: least and greatest of the
-- buckets, which exclude all other chunks. Index: candle_1m_pkey. The pools are listed in it twice: a plan for these
-- values unpacks no others of a compressed chunk.
update candle_1m
set open = changed.open, close = changed.close
from unnest($1::integer[], $2::bigint[], $3::double precision[], $4::double precision[])
  as changed (pool_id, bucket_ms, open, close)
where candle_1m.pool_id = changed.pool_id
  and candle_1m.pool_id = any ($1::integer[])
  and candle_1m.bucket_ms = changed.bucket_ms
  and candle_1m.bucket_ms between $5::bigint and $6::bigint
