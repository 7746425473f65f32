-- The pools whose candles are requested, by the rules of REST: of each pair account the busiest of its mints (ties
-- by mint), of each mint its top pool. $1 text[]: pair addresses, $2 text[]: mints. `wanted`: the one of them. Looked up as in
-- tokens/read_profile.
-- Indexes: pool_pair_address_token_id_key, token_pkey, those of token_prices().
select wanted, is_token, pool_id, pair_address, token_address, newest_ms
from (
  select distinct on (pool.pair_address)
    pool.pair_address as wanted, false as is_token, pool.id as pool_id, pool.pair_address,
    token.address as token_address, pool.newest_ms
  from pool
  join token on token.id = pool.token_id
  where pool.pair_address = any ($1::text[])
    and {+known_pool}
  order by pool.pair_address, pool.swap_count desc, token.address
) as of_pair
union all
select
  token.address, true, pool.id, pool.pair_address, token.address, pool.newest_ms
from token_prices(array(select id from token where address = any ($2::text[]))) as priced
cross join lateral (select address from token where id = priced.token_id limit 1) as token
cross join lateral (select id, pair_address, newest_ms from pool where id = priced.pool_id limit 1) as pool
