-- Stored swaps at known positions, to distinguish a second delivery from a new swap.
-- $1 bigint[]: slots, $2 bigint[]: block_tx_index (pairwise), $3 text[]: signatures, $4 $5 bigint:
-- least and greatest of the slots, which exclude all other chunks.
-- Index: swap_order.
select
  {+stored_swap_columns}
from unnest($1::bigint[], $2::bigint[]) as place (slot, block_tx_index)
join swap on swap.slot = place.slot and swap.block_tx_index = place.block_tx_index
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.signature = any ($3::text[])
  and swap.slot between $4::bigint and $5::bigint
