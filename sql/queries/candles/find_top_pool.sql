-- The top pool of a mint now, and its newest time. $1 text: mint. Looked up by itself, as in
-- tokens/read_profile. Indexes: pool_pkey, those of token_prices().
select pool.id, pool.newest_ms, pool.pair_address, $1::text as token_address
from token_prices(array(select id from token where address = $1)) as priced
cross join lateral (
  select id, newest_ms, pair_address from pool where id = priced.pool_id limit 1
) as pool
