-- Open and close of candles of {words}, recomputed from their minutes. Pairwise: $1 integer[] pool_id, $2 bigint[]
-- bucket_ms; $3 $4 bigint: least and greatest of the buckets. Indexes: the primary keys of {table} and candle_1m. The
-- pools twice, as in update_minute_ends.sql.
-- variant 15m: words = 15 minutes; table = candle_15m; width_ms = 900000
-- variant 4h: words = 4 hours; table = candle_4h; width_ms = 14400000
update {table}
set open = changed.open, close = changed.close
from (
  select wanted.pool_id, wanted.bucket_ms, first.open, last.close
  from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, bucket_ms)
  cross join lateral (
    select minute.open
    from candle_1m as minute
    where minute.pool_id = wanted.pool_id and minute.open is not null
      and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + {width_ms}
      and minute.bucket_ms >= $3::bigint and minute.bucket_ms < $4::bigint + {width_ms}
    order by minute.bucket_ms
    limit 1
  ) as first
  cross join lateral (
    select minute.close
    from candle_1m as minute
    where minute.pool_id = wanted.pool_id and minute.close is not null
      and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + {width_ms}
      and minute.bucket_ms >= $3::bigint and minute.bucket_ms < $4::bigint + {width_ms}
    order by minute.bucket_ms desc
    limit 1
  ) as last
) as changed
where {table}.pool_id = changed.pool_id
  and {table}.pool_id = any ($1::integer[])
  and {table}.bucket_ms = changed.bucket_ms
  and {table}.bucket_ms between $3::bigint and $4::bigint
