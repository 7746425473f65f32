-- Opens the volumes of venues by minute and quarter, as stored over all lanes and as computed from the swaps: a cursor
-- of the transaction, read by fetch_venue_volumes, as years have millions of minutes. In the order of the table's key.
-- Reads all of swap, once. Index: none.
declare venue_volumes no scroll cursor for
select
  width, bucket_ms, dex, stored.trade_count || ' ' || stored.volume_lamports as stored,
  folded.trade_count || ' ' || folded.volume_lamports as folded
from (
  select width, bucket_ms, dex, sum(trade_count) as trade_count, sum(volume_lamports) as volume_lamports
  from venue_volume
  group by width, bucket_ms, dex
) as stored
full join (
  select
    case when grouping(minute_ms) = 0 then 60000 else 900000 end as width,
    case when grouping(minute_ms) = 0 then minute_ms else quarter_ms end as bucket_ms, dex,
    count(*) as trade_count, sum(sol_amount) as volume_lamports
  from (
    select
      timestamp_ms / 60000 * 60000 as minute_ms, timestamp_ms / 900000 * 900000 as quarter_ms, dex, sol_amount
    from swap
  ) as traded
  group by grouping sets ((minute_ms, dex), (quarter_ms, dex))
) as folded using (width, bucket_ms, dex)
order by width, bucket_ms, dex
