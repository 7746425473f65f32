-- The canonically first swaps of a mint among some slots, and all that tie with the last of them.
-- $1 integer: token id; $2 bigint, $3 bigint: first and last slot; $4 integer: rows. Unordered.
-- Index: pool_token, swap_pool, wallet_pkey.
select
  first.slot, first.block_tx_index, first.ix_index, first.dex, first.is_buy, first.signature,
  first.timestamp_ms, first.sol_amount, first.token_amount,
  first.pair_address, wallet.address as "user"
from (
  select own.*, pool.pair_address
  from pool
  cross join lateral (
    select
      slot, block_tx_index, ix_index, dex, is_buy, signature, timestamp_ms, sol_amount,
      token_amount, wallet_id
    from swap
    where swap.pool_id = pool.id and swap.slot between $2 and $3
    order by slot, block_tx_index, ix_index, dex
    fetch first $4 rows with ties
  ) own
  where pool.token_id = $1
  order by own.slot, own.block_tx_index, own.ix_index, own.dex
  fetch first $4 rows with ties
) first
join wallet on wallet.id = first.wallet_id
