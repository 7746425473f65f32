-- All stored swaps of a slot. $1 bigint: slot. Index: swap_order.
select
  {+stored_swap_columns}, swap.wallet_tags, swap.wallet_id, pool.token_id
from swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.slot = $1
