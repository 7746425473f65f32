-- Candles count their distinct traders. Each statement changes the catalogue alone. Candles that are stored already get
-- null, which answers show as null, as a sum with it stays unknown: `swaptide rebuild candles` counts them.

-- Wallets that traded in the bucket, and those of the next counted width (5 minutes, an hour, a day) whose first minute
-- in that wider bucket lies in this one: the wider bucket's traders are their sum.
alter table candle_1m add column trader_count integer, add column wide_trader_count integer;
alter table candle_15m add column trader_count integer, add column wide_trader_count integer;
alter table candle_4h add column trader_count integer, add column wide_trader_count integer;

-- Minutes of a day in which a wallet traded in a pool, ascending, counted from the day's first; `day`: since 1970. From
-- them the traders of candles are counted. Written by the pool actor and by `rebuild candles`.
create table pool_trader (
  pool_id integer not null,
  day integer not null,
  wallet_id integer not null,
  minutes smallint[] not null,
  primary key (pool_id, day, wallet_id)
) with (fillfactor = 85);
