-- Candles of a pool. $1 integer: pool id. Index: candle_4h_pkey. Of a compressed chunk it takes the pool's own alone
-- where it is planned for its value.
delete from candle_4h where pool_id = $1
