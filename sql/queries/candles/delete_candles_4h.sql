-- Candles of a pool. $1 integer: pool id. Index: candle_4h_pkey.
delete from candle_4h where pool_id = $1
