-- Candles of a pool. $1 integer: pool id. Index: candle_1m_pkey.
delete from candle_1m where pool_id = $1
