-- The pool of a pair account, the busiest where several mints were reported for it, with its mint and its newest time.
-- $1 text: pair address, $2 text: mint or null. Index: pool_pair_address_token_id_key,
-- token_pkey.
select
  id, newest_ms, pair_address, (select address from token where token.id = token_id) as token_address
from pool
where pair_address = $1
  and ($2::text is null or token_id = (select id from token where address = $2))
order by swap_count desc, id
limit 1
