-- Where a pool's candles begin, in steps of four hours; no row before the first. $1 integer: pool id.
-- Index: candle_4h_pkey.
select bucket_ms
from candle_4h
where pool_id = $1
order by bucket_ms
limit 1
