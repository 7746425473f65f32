-- The mint of the canonically first of several sells at one position, and the number of those sells.
-- $1 integer: wallet id, $2 integer[]: token ids, $3 bigint: Unix ms before which sells do not count; the position: $4
-- bigint: slot, $5 bigint: block_tx_index, $6 integer: ix_index, $7 smallint: dex; $8 bigint: Unix ms from which on
-- sells do not count.
-- Index: swap_wallet, by one position; pool_pkey, token_pkey.
select token.address as mint, count(*) over ()::integer as sell_count
from swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
where swap.wallet_id = $1
  and swap.slot = $4
  and swap.block_tx_index = $5
  and swap.ix_index = $6
  and swap.dex = $7
  and not swap.is_buy
  and pool.token_id = any ($2::integer[])
  and swap.timestamp_ms >= $3
  and swap.timestamp_ms < $8
order by swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount, token.address
limit 1
