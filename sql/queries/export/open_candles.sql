-- Begins to read the candles of a stored width that have a price, by time and pool: a cursor of the transaction, read
-- by fetch_rows. $1 $2 bigint: first bucket, and the end of the last. Sorts them.
-- variant 1m: table = candle_1m
-- variant 15m: table = candle_15m
-- variant 4h: table = candle_4h
declare exported_candles no scroll cursor for
select
  pool.pair_address, token.address as token_address, candle.bucket_ms, candle.open, candle.high, candle.low,
  candle.close, candle.volume_lamports, candle.volume_units, candle.trade_count, candle.buy_count,
  candle.trader_count
from {table} as candle
join pool on pool.id = candle.pool_id
join token on token.id = pool.token_id
where candle.bucket_ms >= $1 and candle.bucket_ms < $2 and candle.open is not null
order by candle.bucket_ms, pool.pair_address
