-- Volume of venues in a trailing window. bigint: $1 its first minute, $2 the first quarter of an hour in it, $3 where
-- its last whole quarter ends, $4 the minute that follows its last. Index: venue_volume_pkey.
select dex, sum(trade_count)::bigint as trade_count, sum(volume_lamports) as volume_lamports
from (
  select dex, trade_count, volume_lamports
  from venue_volume
  where width = 60000 and bucket_ms >= $1 and bucket_ms < least($2::bigint, $4::bigint)
  union all
  select dex, trade_count, volume_lamports
  from venue_volume
  where width = 900000 and bucket_ms >= $2 and bucket_ms < $3
  union all
  select dex, trade_count, volume_lamports
  from venue_volume
  where width = 60000 and bucket_ms >= greatest($2::bigint, $3::bigint) and bucket_ms < $4
) as part
group by dex
