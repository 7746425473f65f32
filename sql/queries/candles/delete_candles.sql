-- Candles of a pool. $1 integer: pool id. Index: {table}_pkey. Of a compressed chunk it unpacks only the pool's rows
-- where it is planned for its value.
-- variant 1m: table = candle_1m
-- variant 15m: table = candle_15m
-- variant 4h: table = candle_4h
delete from {table} where pool_id = $1
