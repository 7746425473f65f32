-- Candles of a pool merged into wider ones as lines of text, newest first, and how many; a line without a
-- price ends behind its count. $1 integer: pool id, $2 $3 bigint: first bucket, and the end of the last,
-- $4 integer: rows, $5 boolean: those without a price, too, $6 bigint: width in milliseconds.
-- Index: candle_15m_pkey.
select count(*)::integer as candles, coalesce(string_agg(line, E'\n'), '') as lines
from (
  select
    concat_ws(
      ' ',
      time_bucket($6::bigint, bucket_ms),
      sum(volume_lamports),
      sum(trade_count),
      first(open, bucket_ms) filter (where open is not null),
      max(high),
      min(low),
      last(close, bucket_ms) filter (where close is not null)
    ) as line
  from candle_15m
  where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3
  group by time_bucket($6::bigint, bucket_ms)
  having $5 or count(open) > 0
  order by time_bucket($6::bigint, bucket_ms) desc
  limit $4
) as newest
