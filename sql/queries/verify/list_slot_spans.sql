-- Times of runs of slots over all lanes.
select width, bucket, min(first_ms) as first_ms, max(last_ms) as last_ms
from slot_span
group by width, bucket
order by width, bucket
