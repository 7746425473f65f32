-- The swaps of one transaction where it stands. Unordered: the caller sorts.
-- $1 bigint: slot, $2 bigint: block_tx_index, $3 text: signature.
-- Index: swap_order of the one chunk that holds the slot.
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
  s.agent_trade
from swap s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id
where s.slot = $1 and s.block_tx_index = $2 and s.signature = $3
