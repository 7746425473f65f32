-- The swaps of the newest slot of pools. $1 integer[]: pool ids. Index: swap_pool, backwards.
select
  {+stored_swap_columns}
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select *
  from swap
  where swap.pool_id = wanted.pool_id
  order by slot desc
  fetch first 1 row with ties
) as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
