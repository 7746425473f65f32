-- A page of a pool's stored swaps from a slot on, whole slots.
-- $1 integer: pool id, $2 bigint: first slot, $3 integer: about how many. Index: swap_pool.
select
  {+stored_swap_columns}
from (
  select *
  from swap
  where pool_id = $1 and slot >= $2
  order by slot
  fetch first $3 rows with ties
) as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
order by swap.slot
