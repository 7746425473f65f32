-- Candles of a pool, newest first. $1 integer: pool id, $2 $3 bigint: first bucket, and the end of the
-- last, $4 integer: rows, $5 boolean: those without a price, too.
-- Index: candle_1m_pkey, backwards.
select bucket_ms, open, high, low, close, volume_lamports, trade_count
from candle_1m
where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3 and ($5 or open is not null)
order by bucket_ms desc
limit $4
