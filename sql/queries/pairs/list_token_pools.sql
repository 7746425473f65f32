-- Pools of mints with a trade, in any order. $1 text[]: mints. Indexes: token_address_key, pool_token.
select pool.id, pool.pair_address, token.address as token_address
from token
join pool on pool.token_id = token.id
where token.address = any ($1) and pool.dex is not null
