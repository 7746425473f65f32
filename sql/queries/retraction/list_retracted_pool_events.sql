-- Pool events that a transaction retracted. $1 bigint: slot, $2 text: transaction (xid8). Index:
-- retracted_pool_event_order.
select
  pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.timestamp_ms,
  pool_event.dex, pool_event.event, pool_event.signature, pool_event.creator, pool_event.from_pair,
  pool_event.sol_amount, pool_event.token_amount, pool.pair_address, token.address as token_address
from retracted_pool_event as pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.slot = $1 and pool_event.xmin = $2::xid8::xid
