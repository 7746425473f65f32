-- Open and close of candles of quarters of an hour, anew from their minutes.
-- Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms; $3 $4 bigint: least and greatest of the
-- buckets. Indexes: the primary keys of candle_15m and candle_1m. The pools twice, as in update_minute_ends.sql.
update candle_15m
set open = changed.open, close = changed.close
from (
  select wanted.pool_id, wanted.bucket_ms, first.open, last.close
  from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, bucket_ms)
  cross join lateral (
    select minute.open
    from candle_1m as minute
    where minute.pool_id = wanted.pool_id and minute.open is not null
      and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + 900000
      and minute.bucket_ms >= $3::bigint and minute.bucket_ms < $4::bigint + 900000
    order by minute.bucket_ms
    limit 1
  ) as first
  cross join lateral (
    select minute.close
    from candle_1m as minute
    where minute.pool_id = wanted.pool_id and minute.close is not null
      and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + 900000
      and minute.bucket_ms >= $3::bigint and minute.bucket_ms < $4::bigint + 900000
    order by minute.bucket_ms desc
    limit 1
  ) as last
) as changed
where candle_15m.pool_id = changed.pool_id
  and candle_15m.pool_id = any ($1::integer[])
  and candle_15m.bucket_ms = changed.bucket_ms
  and candle_15m.bucket_ms between $3::bigint and $4::bigint
