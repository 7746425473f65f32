-- A repair is done. $1 integer: pool id.
delete from pool_repair where pool_id = $1
