-- Pools that wait for a repair, of any lane, by id. $1 integer: pool id after which the list continues,
-- $2 integer: how many. Index: pool_repair_pkey.
select pool_repair.pool_id, pool_repair.next_slot, pool.pair_address, token.address as token_address
from pool_repair
join pool on pool.id = pool_repair.pool_id
join token on token.id = pool.token_id
where pool_repair.pool_id > $1
order by pool_repair.pool_id
limit $2
