-- Prices and sums of candles that are merged into one, in the columns of a stored candle. Null: one was not counted.
first(open, bucket_ms) filter (where open is not null) as open,
max(high) as high,
min(low) as low,
last(close, bucket_ms) filter (where close is not null) as close,
sum(volume_lamports) as volume_lamports,
case when count(volume_units) = count(*) then sum(volume_units) end as volume_units,
sum(trade_count) as trade_count,
case when count(buy_count) = count(*) then sum(buy_count) end as buy_count
