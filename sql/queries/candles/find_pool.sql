-- The pool of a pair account, the busiest where several mints were reported for it (ties by mint), with its mint and its
-- newest time.
-- $1 text: pair address, $2 text: mint or null. Index: pool_pair_address_token_id_key,
-- token_pkey.
select pool.id, pool.newest_ms, pool.pair_address, token.address as token_address
from pool
join token on token.id = pool.token_id
where pool.pair_address = $1
  and {+known_pool}
  and ($2::text is null or token.address = $2)
order by pool.swap_count desc, token.address
limit 1
