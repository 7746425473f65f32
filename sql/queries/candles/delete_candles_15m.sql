-- Candles of a pool. $1 integer: pool id. Index: candle_15m_pkey.
delete from candle_15m where pool_id = $1
