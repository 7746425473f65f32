-- Swaps from a slot on, whole slots. $1 bigint: slot, $2 integer: rows.
-- Result: swaps by the interface's names, at least $2 where there are so many, and all of the last slot;
-- wallet_tags as bits. Unordered: the caller sorts. Index: swap_order.
select
  s.signature,
  s.slot,
  s.timestamp_ms as timestamp,
  t.address as token_address,
  p.pair_address,
  w.address as "user",
  s.is_buy,
  s.dex,
  s.sol_amount,
  s.token_amount,
  s.fee,
  s.fee_bps,
  s.creator_fee,
  s.creator_fee_bps,
  s.pool_price,
  s.price_impact_bps,
  s.quote_decimals,
  s.virtual_sol_reserves,
  s.virtual_token_reserves,
  s.real_sol_reserves,
  s.real_token_reserves,
  s.transfer_fee_in,
  s.transfer_fee_out,
  s.cashback,
  s.cashback_bps,
  s.block_tx_index,
  s.ix_index,
  s.time_source,
  s.agent_trade,
  s.wallet_tags
from (
  select *
  from swap
  where slot >= $1
  order by slot
  fetch first $2 rows with ties
) s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id
