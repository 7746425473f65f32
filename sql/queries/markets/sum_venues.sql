-- What venues traded in a window that ends with the newest swap. $1 bigint: its first minute, $2: the first
-- quarter in it. Index: venue_volume_pkey.
select dex, sum(trade_count)::bigint as trade_count, sum(volume_lamports) as volume_lamports
from (
  select dex, trade_count, volume_lamports
  from venue_volume
  where width = 60000 and bucket_ms >= $1 and bucket_ms < $2
  union all
  select dex, trade_count, volume_lamports
  from venue_volume
  where width = 900000 and bucket_ms >= $2
) as part
group by dex
