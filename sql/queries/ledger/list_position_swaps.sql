-- Stored swaps of positions from a slot on, whole slots, each position's in the order of slots.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] first slot (pairwise), $4 integer: about how
-- many of each. Result: ordinal of the position from 1, and what the ledger goes by. Index: swap_wallet.
select
  wanted.ordinal, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy,
  swap.signature, swap.pair_address, swap.sol_amount, swap.token_amount, swap.timestamp_ms,
  swap.quote_decimals, swap.transfer_fee_in, swap.transfer_fee_out
from unnest($1::integer[], $2::integer[], $3::bigint[])
  with ordinality as wanted (wallet_id, token_id, first_slot, ordinal)
cross join lateral (
  select swap.*, pool.pair_address
  from swap
  join pool on pool.id = swap.pool_id
  where swap.wallet_id = wanted.wallet_id
    and swap.slot >= wanted.first_slot
    and pool.token_id = wanted.token_id
  order by swap.slot
  fetch first $4 rows with ties
) as swap
order by wanted.ordinal, swap.slot
