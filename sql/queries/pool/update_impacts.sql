-- Price impacts that late arrivals changed. Pairwise: $1 integer[] pool_id, $2 bigint[] slot,
-- $3 bigint[] block_tx_index, $4 integer[] ix_index, $5 text[] signature, $6 text[] user,
-- $7 boolean[] is_buy, $8 bigint[] sol_amount, $9 bigint[] token_amount, $10 bigint[] impact or null,
-- $11 $12 bigint: least and greatest of the slots, which leave out all other chunks;
-- $13 smallint[] dex.
-- Index: swap_pool.
update swap
set price_impact_bps = changed.price_impact_bps
from unnest(
  $1::integer[], $2::bigint[], $3::bigint[], $4::integer[], $5::text[], $6::text[], $7::boolean[],
  $8::bigint[], $9::bigint[], $10::bigint[], $13::smallint[]
) as changed (
  pool_id, slot, block_tx_index, ix_index, signature, user_address, is_buy, sol_amount,
  token_amount, price_impact_bps, dex
)
join wallet on wallet.address = changed.user_address
where swap.pool_id = changed.pool_id
  and swap.slot = changed.slot
  and swap.block_tx_index = changed.block_tx_index
  and swap.ix_index = changed.ix_index
  and swap.signature = changed.signature
  and swap.wallet_id = wallet.id
  and swap.dex = changed.dex
  and swap.is_buy = changed.is_buy
  and swap.sol_amount = changed.sol_amount
  and swap.token_amount = changed.token_amount
  and swap.slot between $11::bigint and $12::bigint
