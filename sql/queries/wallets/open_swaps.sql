-- Begins to read a wallet's swaps, oldest first: a cursor of the transaction, read by fetch_swaps.
-- $1 integer: wallet id, $2 bigint, $3 bigint: first and last slot; null for any: $4 integer[]: token ids,
-- $5 smallint: dex. Order: slot, block_tx_index, ix_index, dex; ties are the caller's to order.
-- Index: swap_wallet. The bounds are on rows that begin with the id, as in swaps/list_wallet_swaps_asc.
declare wallet_swaps no scroll cursor for
select
  pool.token_id, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy,
  swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount, swap.timestamp_ms,
  swap.quote_decimals, swap.transfer_fee_in, swap.transfer_fee_out
from swap
join pool on pool.id = swap.pool_id
where (swap.wallet_id, swap.slot) >= ($1::integer, $2::bigint)
  and (swap.wallet_id, swap.slot) <= ($1::integer, $3::bigint)
  and swap.slot between $2 and $3
  and ($4::integer[] is null or pool.token_id = any ($4))
  and ($5::smallint is null or swap.dex = $5)
order by swap.wallet_id, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex
