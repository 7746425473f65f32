-- Pools whose account begins with a text. $1 text, $2 integer: rows.
-- Indexes: pool_pair_address_token_id_key, token_pkey.
select pool.pair_address, pool.dex, pool.swap_count, token.symbol, token.address as token_address
from pool
join token on token.id = pool.token_id
where pool.pair_address >= $1 and pool.pair_address < $1 || chr(1114111)
  and {+known_pool}
order by pool.pair_address, token.address
limit $2
