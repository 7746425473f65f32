-- Stored swaps at known places, for telling a second delivery from a new swap.
-- $1 bigint[]: slots, $2 bigint[]: block_tx_index (pairwise), $3 text[]: signatures, $4 $5 bigint:
-- least and greatest of the slots, which leave out all other chunks.
-- Index: swap_order.
select
  swap.slot, swap.block_tx_index, swap.ix_index, swap.timestamp_ms, swap.dex, swap.is_buy,
  swap.signature, pool.pair_address, token.address as token_address, wallet.address as user_address,
  swap.pool_id, swap.sol_amount, swap.token_amount, swap.fee, swap.fee_bps, swap.creator_fee,
  swap.creator_fee_bps, swap.quote_decimals, swap.virtual_sol_reserves,
  swap.virtual_token_reserves, swap.real_sol_reserves, swap.real_token_reserves,
  swap.transfer_fee_in, swap.transfer_fee_out, swap.cashback, swap.cashback_bps,
  swap.time_source, swap.agent_trade, swap.pool_price, swap.price_before, swap.price_after,
  swap.price_impact_bps
from unnest($1::bigint[], $2::bigint[]) as place (slot, block_tx_index)
join swap on swap.slot = place.slot and swap.block_tx_index = place.block_tx_index
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.signature = any ($3::text[])
  and swap.slot between $4::bigint and $5::bigint
