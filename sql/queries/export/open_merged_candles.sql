-- Begins to read candles that are merged into wider ones and have a price, by time and pool: a cursor of the
-- transaction, read by fetch_rows. $1 $2 bigint: first bucket, and the end of the last; $3 bigint: width in
-- milliseconds. Null: one of the merged candles was not counted, or the width counts no traders. Sorts them.
-- variant 1m: table = candle_1m; wide_ms = 300000
-- variant 15m: table = candle_15m; wide_ms = 3600000
-- variant 4h: table = candle_4h; wide_ms = 86400000
declare exported_candles no scroll cursor for
select
  pool.pair_address, token.address as token_address, merged.*
from (
  select
    pool_id,
    time_bucket($3::bigint, bucket_ms) as bucket_ms,
    {+merged_candle},
    case
      when $3 = {wide_ms} and count(wide_trader_count) = count(*) then sum(wide_trader_count)
    end as trader_count
  from {table}
  where bucket_ms >= $1 and bucket_ms < $2
  group by pool_id, time_bucket($3::bigint, bucket_ms)
  having count(open) > 0
) as merged
join pool on pool.id = merged.pool_id
join token on token.id = pool.token_id
order by merged.bucket_ms, pool.pair_address
