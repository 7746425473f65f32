-- All stored pool events of a slot. $1 bigint: slot. Index: pool_event_order.
select
  pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.timestamp_ms,
  pool_event.dex, pool_event.event, pool_event.signature, pool_event.creator, pool_event.from_pair,
  pool_event.sol_amount, pool_event.token_amount, pool.pair_address, token.address as token_address,
  pool_event.pool_id, pool.token_id
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.slot = $1
