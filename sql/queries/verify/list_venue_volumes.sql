-- What venues traded by minute and quarter, over all lanes.
select width, bucket_ms, dex, sum(trade_count) as trade_count, sum(volume_lamports) as volume_lamports
from venue_volume
group by width, bucket_ms, dex
order by width, bucket_ms, dex
