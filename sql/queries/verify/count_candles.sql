-- Rows of the tables of candles and prices.
select
  (select count(*) from candle_1m) as candle_1m,
  (select count(*) from candle_15m) as candle_15m,
  (select count(*) from candle_4h) as candle_4h,
  (select count(*) from dollar_minute) as dollar_minute,
  (select count(*) from pool_trader) as pool_trader
