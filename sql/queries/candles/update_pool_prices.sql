-- Sets the prices of a pool's row. $1 integer: pool id, $2 bigint newest_ms,
-- $3 double precision last_price, $4 bigint last_price_ms; null where there is none.
update pool
set newest_ms = $2, last_price = $3, last_price_ms = $4
where id = $1
