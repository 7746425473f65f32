-- Buys of mints in one slot each.
-- $1 integer[]: token ids, $2 bigint[]: slots (pairwise), $3 bigint, $4 bigint: the least and the greatest
-- of them. Index: pool_token, swap_pool.
select
  pool.token_id, wallet.address as "user", swap.signature, swap.slot, swap.block_tx_index,
  swap.ix_index, swap.dex, pool.pair_address, swap.sol_amount, swap.token_amount
from unnest($1::integer[], $2::bigint[]) as wanted (token_id, slot)
join pool on pool.token_id = wanted.token_id
join swap on swap.pool_id = pool.id and swap.slot = wanted.slot
join wallet on wallet.id = swap.wallet_id
where swap.is_buy and swap.slot between $3 and $4
