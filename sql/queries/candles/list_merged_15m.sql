-- Candles of a pool merged into wider ones, newest first. $1 integer: pool id, $2 $3 bigint: first
-- bucket, and the end of the last, $4 integer: rows, $5 boolean: those without a price, too,
-- $6 bigint: width in milliseconds. Index: candle_15m_pkey.
select
  time_bucket($6::bigint, bucket_ms) as bucket_ms,
  first(open, bucket_ms) filter (where open is not null) as open,
  max(high) as high,
  min(low) as low,
  last(close, bucket_ms) filter (where close is not null) as close,
  sum(volume_lamports) as volume_lamports,
  sum(trade_count) as trade_count
from candle_15m
where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3
group by 1
having $5 or count(open) > 0
order by 1 desc
limit $4
