-- Last prices of pools that late swaps changed. Pairwise: $1 integer[] pool id,
-- $2 double precision[] price, $3 bigint[] Unix ms. Index: pool_pkey.
update pool
set last_price = changed.price, last_price_ms = changed.price_ms
from unnest($1::integer[], $2::double precision[], $3::bigint[])
  as changed (pool_id, price, price_ms)
where pool.id = changed.pool_id
