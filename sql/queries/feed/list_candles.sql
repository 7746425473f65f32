-- Candles with a price of pools, of a width each, ascending. Pairwise: $1 integer[] pool ids, $2 $3 bigint[]
-- first bucket, and the end of the last, $4 bigint[] width in milliseconds; $5 $6 bigint: the least and the
-- greatest of the bounds, which exclude all other chunks. `place`: the ordinal of the pair, from 1 on. A sum is null
-- where one of the parts was not counted, or the width counts no traders.
-- Index: {table}_pkey.
-- variant 1m: table = candle_1m; width_ms = 60000; wide_ms = 300000
-- variant 15m: table = candle_15m; width_ms = 900000; wide_ms = 3600000
-- variant 4h: table = candle_4h; width_ms = 14400000; wide_ms = 86400000
select wanted.place::integer as place, candle.*
from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[]) with ordinality
  as wanted (pool_id, first_ms, end_ms, width_ms, place)
cross join lateral (
  select
    time_bucket(wanted.width_ms, bucket_ms) as bucket_ms,
    {+merged_candle},
    case
      when wanted.width_ms = {width_ms} then min(trader_count)
      when wanted.width_ms = {wide_ms} and count(wide_trader_count) = count(*)
        then sum(wide_trader_count)
    end as trader_count
  from {table}
  where pool_id = wanted.pool_id and bucket_ms >= wanted.first_ms and bucket_ms < wanted.end_ms
    and bucket_ms >= $5::bigint and bucket_ms < $6::bigint
  group by 1
  having count(open) > 0
) as candle
order by wanted.place, candle.bucket_ms
