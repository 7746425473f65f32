-- A page of pools. $1 integer: id to go on after, $2 integer: how many. Index: pool_pkey.
select pool.id, pool.pair_address, token.address as token_address
from pool
join token on token.id = pool.token_id
where pool.id > $1
order by pool.id
limit $2
