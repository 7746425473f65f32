-- Swaps behind a slot, whole slots. $1 bigint: slot, $2 bigint: last slot, $3 integer: rows;
-- $4 smallint[]: venues, null for all; $5 bigint, $6 bigint: first and last timestamp_ms.
-- Result: at least $3 where there are so many, and all of the last slot. Unordered: the caller sorts.
-- Index: swap_order; a chunk is opened only when the one before did not fill the page.
select
  swap.slot, swap.block_tx_index, swap.ix_index, swap.timestamp_ms, swap.dex, swap.is_buy,
  swap.signature, pool.pair_address, token.address as token_address, wallet.address as user_address,
  swap.pool_id, swap.sol_amount, swap.token_amount, swap.fee, swap.fee_bps, swap.creator_fee,
  swap.creator_fee_bps, swap.quote_decimals, swap.virtual_sol_reserves,
  swap.virtual_token_reserves, swap.real_sol_reserves, swap.real_token_reserves,
  swap.transfer_fee_in, swap.transfer_fee_out, swap.cashback, swap.cashback_bps,
  swap.time_source, swap.agent_trade, swap.pool_price, swap.price_before, swap.price_after,
  swap.price_impact_bps, swap.wallet_tags
from (
  select *
  from swap
  where slot > $1 and slot <= $2
    and ($4::smallint[] is null or dex = any ($4))
    and timestamp_ms between $5 and $6
  order by slot
  fetch first $3 rows with ties
) swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
