-- A page of a repair is done. $1 integer: pool id, $2 bigint: the slot to go on from.
update pool_repair set next_slot = $2 where pool_id = $1
