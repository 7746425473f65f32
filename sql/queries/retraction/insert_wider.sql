-- Wider candles of pools, merged from their minutes. Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms; $3 $4
-- bigint: least of the buckets, and the end of the last. A sum is null where one of the minutes was never counted; no
-- traders are counted yet. Index: candle_1m_pkey.
-- variant 15m: table = candle_15m; width_ms = 900000
-- variant 4h: table = candle_4h; width_ms = 14400000
insert into {table} (
  pool_id, trade_count, bucket_ms, open, high, low, close, volume_lamports, volume_units, buy_count,
  trader_count, wide_trader_count
)
select
  wanted.pool_id, sum(minute.trade_count)::integer, wanted.bucket_ms,
  (array_agg(minute.open order by minute.bucket_ms) filter (where minute.open is not null))[1],
  max(minute.high), min(minute.low),
  (array_agg(minute.close order by minute.bucket_ms desc) filter (where minute.close is not null))[1],
  sum(minute.volume_lamports),
  case when count(minute.volume_units) = count(*) then sum(minute.volume_units) end,
  case when count(minute.buy_count) = count(*) then sum(minute.buy_count)::integer end, 0, 0
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, bucket_ms)
join candle_1m as minute on minute.pool_id = wanted.pool_id
  and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + {width_ms}
where minute.bucket_ms >= $3::bigint and minute.bucket_ms < $4::bigint
group by wanted.pool_id, wanted.bucket_ms
returning pool_id, bucket_ms
