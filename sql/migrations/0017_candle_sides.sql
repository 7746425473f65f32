-- Candles count what their trades moved of the token and which of them were buys. Each statement changes the catalogue
-- alone. Candles that are stored already get null, which answers show as null, as a sum with it stays unknown:
-- `swaptide rebuild candles` counts them.

-- Base units of the token, and buys, of all trades; what is no buy is a sell.
alter table candle_1m add column volume_units numeric, add column buy_count integer;
alter table candle_15m add column volume_units numeric, add column buy_count integer;
alter table candle_4h add column volume_units numeric, add column buy_count integer;
