-- Swaps that a transaction retracted. $1 bigint: slot, $2 text: transaction (xid8). Index: retracted_swap_order.
select
  {+stored_swap_columns}, swap.wallet_tags
from retracted_swap as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.slot = $1 and swap.xmin = $2::xid8::xid
