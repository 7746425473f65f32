-- Candles of a pool at the three widths, each in the order of time.
-- $1 integer: pool id, $2 $3 bigint: least and greatest bucket. Indexes: the primary keys.
select
  'candle_1m' as name, bucket_ms, open, high, low, close, first_slot, last_slot, volume_lamports,
  volume_units, trade_count, buy_count, trader_count, wide_trader_count
from candle_1m
where pool_id = $1 and bucket_ms between $2 and $3
union all
select
  'candle_15m', bucket_ms, open, high, low, close, null, null, volume_lamports, volume_units,
  trade_count, buy_count, trader_count, wide_trader_count
from candle_15m
where pool_id = $1 and bucket_ms between $2 and $3
union all
select
  'candle_4h', bucket_ms, open, high, low, close, null, null, volume_lamports, volume_units,
  trade_count, buy_count, trader_count, wide_trader_count
from candle_4h
where pool_id = $1 and bucket_ms between $2 and $3
order by name, bucket_ms
