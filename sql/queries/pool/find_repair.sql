-- A pool of a lane that is to be gone through again. $1 smallint: lane.
select pool_repair.pool_id, pool_repair.next_slot, pool.pair_address, token.address as token_address
from pool_repair
join pool on pool.id = pool_repair.pool_id
join token on token.id = pool.token_id
where pool_repair.lane = $1
order by pool_repair.pool_id
limit 1
